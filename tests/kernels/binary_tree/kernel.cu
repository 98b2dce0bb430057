// A tree of searched keys made with malloc, one for each thread, then its keys in order.
struct Node {
    int key;
    Node *left, *right;
};
__device__ __noinline__ int walk(const Node *node, int *out, int at) {
    if (!node) return at;
    at = walk(node->left, out, at);
    out[at++] = node->key;
    return walk(node->right, out, at);
}
extern "C" __global__ void trees(const int *keys, int count, int *out) {
    Node *root = nullptr;
    for (int i = 0; i < count; i++) {
        Node **to = &root;
        int key = keys[threadIdx.x * count + i];
        while (*to) to = key < (*to)->key ? &(*to)->left : &(*to)->right;
        *to = new Node{key, nullptr, nullptr};
    }
    walk(root, out + threadIdx.x * count, 0);
    while (root) {
        if (Node *left = root->left) {
            root->left = left->right;
            left->right = root;
            root = left;
        } else {
            Node *rest = root->right;
            delete root;
            root = rest;
        }
    }
}
