"""Attack 19: machine code of its own, which calls the kernel by the gate of 32-bit programs, past the filter."""

import ctypes
import mmap

from attacker import serve

GETPID_BY_INT_80 = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret


def act(message):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(GETPID_BY_INT_80)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


serve(act)
