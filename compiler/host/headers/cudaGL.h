/* Buffers and images of OpenGL in the driver API. Programs bring OpenGL's own headers. */
#ifndef WARPSMITH_CUDA_GL_H
#define WARPSMITH_CUDA_GL_H
#include <cuda.h>
#include <GL/gl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUGLDeviceList_enum {
    CU_GL_DEVICE_LIST_ALL = 1, CU_GL_DEVICE_LIST_CURRENT_FRAME = 2, CU_GL_DEVICE_LIST_NEXT_FRAME = 3
} CUGLDeviceList;
CUresult cuGLGetDevices(unsigned *count, CUdevice *devices, unsigned most, CUGLDeviceList list);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, GLuint buffer, unsigned flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, GLuint image, GLenum target, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
