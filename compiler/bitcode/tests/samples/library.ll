; A library, of which a program needs one function and what that calls.
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@weights = internal addrspace(4) constant [2 x i32] [i32 3, i32 5]

define i32 @elsewhere(i32 %x) noinline {
  %y = call i32 @helper(i32 %x)
  ret i32 %y
}

define i32 @unused(i32 %x) {
  ret i32 %x
}

define internal i32 @helper(i32 %x) {
  %w = load i32, i32 addrspace(4)* getelementptr inbounds ([2 x i32], [2 x i32] addrspace(4)* @weights, i64 0, i64 1)
  %y = mul i32 %x, %w
  ret i32 %y
}

!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
