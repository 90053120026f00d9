/* Ends a process with a signal when llama.cpp computes, as a processor does that lacks an instruction.

FAULT_SIGNAL is the signal's number; FAULT_UNLESS is "plain" for weights without extra buffers, "plainest" for weights
that are not mapped either, "never" for no way out; FAULT_AFTER is how many computations go well. FAULT_BASE is the path
of libggml-base. libllama calls these functions through its table of symbols, so the preloaded ones are found first.
An adapter, which comes after the first computation, asks for the extra buffers only to keep out of them. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int extra_buffers, mapped, computed, begun;

static void *real(const char *name) { return dlsym(dlopen(getenv("FAULT_BASE"), RTLD_NOW), name); }

void *ggml_backend_reg_get_proc_address(void *registry, const char *name) {
    if (!begun && strcmp(name, "ggml_backend_dev_get_extra_bufts") == 0) extra_buffers = 1;
    return ((void *(*)(void *, const char *))real("ggml_backend_reg_get_proc_address"))(registry, name);
}

void *ggml_backend_dev_buffer_from_host_ptr(void *device, void *pointer, size_t size, size_t largest) {
    mapped = 1;
    return ((void *(*)(void *, void *, size_t, size_t))real("ggml_backend_dev_buffer_from_host_ptr"))(
        device, pointer, size, largest);
}

int ggml_backend_sched_graph_compute_async(void *scheduler, void *graph) {
    const char *unless = getenv("FAULT_UNLESS"), *after = getenv("FAULT_AFTER");
    int plain = !extra_buffers && strcmp(unless, "plain") == 0;
    int plainest = !extra_buffers && !mapped && strcmp(unless, "plainest") == 0;
    if (!plain && !plainest && computed++ >= (after ? atoi(after) : 0)) raise(atoi(getenv("FAULT_SIGNAL")));
    begun = 1;
    return ((int (*)(void *, void *))real("ggml_backend_sched_graph_compute_async"))(scheduler, graph);
}
