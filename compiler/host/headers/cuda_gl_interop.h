/* Buffers and images of OpenGL in the CUDA runtime API. Programs bring OpenGL's own headers. */
#ifndef WARPSMITH_CUDA_GL_INTEROP_H
#define WARPSMITH_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__
#include <cuda_runtime_api.h>
#include <GL/gl.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame = 2, cudaGLDeviceListNextFrame = 3
};
cudaError_t cudaGLGetDevices(unsigned *count, int *devices, unsigned most, enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image, GLenum target, unsigned flags);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer, unsigned flags);

/* Those of old. */
enum cudaGLMapFlags {
    cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly = 1, cudaGLMapFlagsWriteDiscard = 2
};
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void **pointer, GLuint buffer);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned flags);
cudaError_t cudaGLMapBufferObjectAsync(void **pointer, GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
