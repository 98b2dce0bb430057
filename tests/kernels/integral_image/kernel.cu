// Sums of all rectangles from the corner: a scan along rows, then along columns.
extern "C" __global__ void rows(unsigned *image, int width) {
    unsigned sum = 0;
    for (int x = 0; x < width; x++) image[threadIdx.x * width + x] = sum += image[threadIdx.x * width + x];
}
extern "C" __global__ void columns(unsigned *image, int width, int height) {
    unsigned sum = 0;
    for (int y = 0; y < height; y++) image[y * width + threadIdx.x] = sum += image[y * width + threadIdx.x];
}
