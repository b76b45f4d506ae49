import AllocationCounter
import Glibc
import Testing

@Suite("Allocation counter", .enabled(if: allocation_counter_available() == 1)) struct AllocationCounterTests {
    @Test("It sees what it is to see, on the thread that asks")
    func sees() {
        var lock = pthread_mutex_t()
        pthread_mutex_init(&lock, nil)
        allocation_counter_watch_this_thread(3)
        allocation_counter_reset_thread()
        free(malloc(10))
        free(realloc(calloc(2, 5), 100))
        pthread_mutex_lock(&lock)
        let (mallocs, frees, locks) = (
            allocation_counter_mallocs(), allocation_counter_frees(), allocation_counter_locks()
        )
        let watched = allocation_counter_read(3)
        allocation_counter_watch_this_thread(-1)
        pthread_mutex_unlock(&lock)
        #expect((mallocs, frees, locks) == (3, 2, 1))
        #expect((watched.mallocs, watched.frees, watched.locks) == (3, 2, 1))
    }
}
