//! Built-in functions that are in the library: programs that check themselves, at several levels, in the interpreter and as machine code.

use warpsmith_tests::c_suites::{Case, Outcome, judge};

#[track_caller]
fn passes(name: &str, text: &str, printed: &str) {
    let case = Case {
        name: name.to_string(),
        text: text.to_string(),
        printed: printed.to_string(),
    };
    let sm = "sm_90".parse().expect("it is a target");
    assert_eq!(judge(&case, sm), Outcome::Passed);
}

#[test]
fn string_functions_of_the_compiler() {
    let text = "
        bool same(const char *a, const char *b) { return __builtin_strcmp(a, b) == 0; }
        int main() {
            char a[32] = \"abc\", b[32];
            if (!same(__builtin_strcpy(b, a), \"abc\") || __builtin_stpcpy(b, \"xy\") != b + 2) return 1;
            if (!same(__builtin_strcat(b, \"zz\"), \"xyzz\") || !same(__builtin_strncat(b, \"12345\", 2), \"xyzz12\")) return 2;
            __builtin_memset(b, 7, sizeof b);
            if (!same(__builtin_strncpy(b, \"ab\", 4), \"ab\") || b[3] || b[4] != 7 || __builtin_stpncpy(b, \"abcd\", 3) != b + 3) return 3;
            const char *text = \"hello, world\";
            if (__builtin_strchr(text, 'o') != text + 4 || __builtin_strrchr(text, 'o') != text + 8 || __builtin_strchr(text, 'x')) return 4;
            if (__builtin_index(text, 0) != text + 12 || __builtin_rindex(text, 'l') != text + 10) return 5;
            if (__builtin_strstr(text, \"wor\") != text + 7 || __builtin_strstr(text, \"word\") || __builtin_strstr(text, \"\") != text) return 6;
            if (__builtin_strspn(text, \"leh\") != 4 || __builtin_strcspn(text, \", \") != 5 || __builtin_strpbrk(text, \"xw\") != text + 7) return 7;
            if (__builtin_strncmp(text, \"help\", 3) || __builtin_strncmp(text, \"help\", 4) >= 0 || __builtin_strnlen(text, 3) != 3) return 8;
            if (__builtin_mempcpy(b, text, 5) != b + 5 || b[4] != 'o' || __builtin_bcmp(b, \"hello\", 5)) return 9;
            __builtin_bcopy(b, b + 1, 4);
            __builtin_bzero(b, 1);
            if (b[0] || b[1] != 'h' || b[4] != 'l') return 10;
            char *heap = __builtin_strdup(text);
            int *zeros = (int *)__builtin_calloc(3, 4), *plain = (int *)__builtin_malloc(4);
            *plain = 5;
            if (!same(heap, text) || zeros[0] || zeros[2] || *plain != 5) return 11;
            __builtin_free(heap);
            __builtin_puts(\"line\");
            __builtin_putchar('!');
            return 0;
        }";
    passes("strings", text, "line\n!");
}

#[test]
fn functions_that_know_how_much_room_there_is() {
    let text = "
        int main() {
            char a[8];
            __builtin___strcpy_chk(a, \"abcdefg\", __builtin_object_size(a, 0));
            __builtin___memcpy_chk(a + 1, \"12\", 2, 7);
            __builtin___memset_chk(a, 'x', 1, 8);
            if (__builtin___stpcpy_chk(a + 4, \"e\", 4) != a + 5) return 1;
            __builtin___strcat_chk(a, \"f\", 8);
            int dynamic = 0;
            if (__builtin_object_size(a + dynamic, 2) > 8) return 2;
            return a[0] == 'x' && a[2] == '2' && a[5] == 'f' && a[6] == 0 ? 0 : 3;
        }";
    passes("room", text, "");
}

#[test]
fn functions_of_strings_that_a_program_declares() {
    let text = "
        extern \"C\" { char *strcpy(char *, const char *); unsigned long strlen(const char *); char *strrchr(const char *, int); int puts(const char *); }
        int main() {
            char a[8];
            strcpy(a, \"a.b.c\");
            puts(a);
            return strlen(a) != 5 || strrchr(a, '.') != a + 3;
        }";
    passes("declared", text, "a.b.c\n");
}
