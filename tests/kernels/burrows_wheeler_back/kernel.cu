// The Burrows-Wheeler transform undone, after moving letters back from the front; one text for each thread.
extern "C" __global__ void undo(const unsigned char *coded, const int *starts, int length, unsigned char *out) {
    unsigned char last[40], alphabet[8];
    int counts[8], links[40];
    const unsigned char *own = coded + threadIdx.x * length;
    for (int i = 0; i < 8; i++) {
        alphabet[i] = 'a' + i;
        counts[i] = 0;
    }
    for (int i = 0; i < length; i++) {
        int place = own[i];
        unsigned char letter = alphabet[place];
        for (; place > 0; place--) alphabet[place] = alphabet[place - 1];
        alphabet[0] = last[i] = letter;
        counts[letter - 'a']++;
    }
    for (int i = 0, sum = 0; i < 8; i++) {
        int count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    for (int i = 0; i < length; i++) links[counts[last[i] - 'a']++] = i;
    int at = links[starts[threadIdx.x]];
    for (int i = 0; i < length; i++, at = links[at]) out[threadIdx.x * length + i] = last[at];
}
