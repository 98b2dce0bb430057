edges = list(zip(random("s32", 400, 50, 0, 120), random("s32", 400, 51, 0, 120), random("u32", 400, 52, 1, 100)))
save("start", "u32", [0] + [U32] * 119)
import heapq
done, heap = {}, [(0, 0)]
while heap:
    length, node = heapq.heappop(heap)
    if node not in done:
        done[node] = length
        for a, b, w in edges:
            if a == node:
                heapq.heappush(heap, (length + w, b))
save("distance", "u32", [done.get(i, U32) for i in range(120)])
