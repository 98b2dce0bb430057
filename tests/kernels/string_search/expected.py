text = "ananas banana bananas anan an ana nana: the canal of panama, an anagram of a banal savanna. ananan"
assert len(text) == 98
found = [int(text.startswith("anan", i)) for i in range(98)]
save("found", "u8", found)
save("count", "s32", [sum(found)])
