"""Why an upload is refused: one sentence each, which says what is wrong, where, and what to do."""

from __future__ import annotations

from typing import Final


def gettext_noop(text: str) -> str:
    """Marks a text that doors translate, where there are any; nothing here knows a language but English."""
    return text


SENTENCES: Final = {
    "type": gettext_noop(
        "The file is none that can be taken: upload a .py, .js or .mjs file, a static Linux program, or a .zip."
    ),
    "empty": gettext_noop("The file is empty: upload a file with your bot in it."),
    "too_big": gettext_noop("The file has more than %(limit)d MiB: that is the most that is taken."),
    "not_a_zip": gettext_noop("The file is named .zip but is none: pack it again."),
    "other_archive": gettext_noop(
        "The file is named .zip but is in the format %(format)s: pack it as a zip."
    ),
    "zip_by_another_name": gettext_noop("The file is a zip but is not named so: name it .zip."),
    "binary": gettext_noop("The file is not source but binary data: upload the source."),
    "binary_source": gettext_noop("The file %(path)s is not source but binary data: pack the source."),
    "not_utf8": gettext_noop("The file is not UTF-8 in line %(line)d: save it as UTF-8."),
    "source_not_utf8": gettext_noop("The file %(path)s is not UTF-8 in line %(line)d: save it as UTF-8."),
    "coding": gettext_noop(
        "The file %(path)s declares the encoding %(coding)s in line %(line)d: save it as UTF-8 and remove that."
    ),
    "broken_zip": gettext_noop("The zip is damaged: pack it again."),
    "broken_entry": gettext_noop("The zip is damaged at %(path)s: pack it again."),
    "unreadable_zip": gettext_noop(
        "The zip cannot be read within %(seconds)d s and %(memory)d MiB: pack it again."
    ),
    "zip64": gettext_noop(
        "The zip is in the form for more than 4 GiB (zip64): pack it in the ordinary form."
    ),
    "split": gettext_noop("The zip is one part of several: pack it as one file."),
    "long_comment": gettext_noop(
        "The zip has a comment of %(n)d bytes: at most %(limit)d are taken, so pack it without."
    ),
    "hidden_bytes": gettext_noop(
        "The zip has %(n)d bytes that belong to no file, from byte %(at)d on: pack it again."
    ),
    "too_many": gettext_noop("The zip has %(n)d entries: at most %(limit)d are taken."),
    "no_entry": gettext_noop("The zip has none of these at its top: %(entry)s. Name the bot's file so."),
    "entry_in_folder": gettext_noop(
        "The zip has none of these at its top: %(entry)s. There is %(path)s, so zip that folder's files."
    ),
    "two_entries": gettext_noop(
        "The zip has several files that could be started: %(entries)s. Keep one, or choose the runtime."
    ),
    "encrypted": gettext_noop("%(path)s is encrypted: pack the zip without a password."),
    "absolute_path": gettext_noop(
        "%(path)s is an absolute path: pack the files relative to the bot's folder."
    ),
    "outside": gettext_noop("%(path)s leads out of the bot's folder: pack without “..”."),
    "long_path": gettext_noop(
        "%(path)s is too long a path: at most %(length)d characters and %(depth)d levels are taken."
    ),
    "odd_name": gettext_noop(
        "%(path)s is an odd name: use letters, digits, “.”, “_”, “-”, “+” and spaces between them."
    ),
    "link": gettext_noop("%(path)s is a link or a special file: pack the file itself."),
    "backslash": gettext_noop("%(path)s has a backslash: pack with “/” between folder and file."),
    "reserved": gettext_noop("%(path)s has a name that Windows keeps for a device: choose another."),
    "two_names": gettext_noop("%(path)s has a second name in the zip: use plain letters, and pack it again."),
    "full_folder": gettext_noop("%(path)s is named as a folder but has content: pack it again."),
    "long_extra": gettext_noop(
        "%(path)s has %(n)d bytes of remarks in the zip: at most %(limit)d are taken, so pack it without."
    ),
    "disagree": gettext_noop("%(path)s is described in two ways in the zip: pack it again."),
    "overlap": gettext_noop("%(path)s and %(other)s share their bytes in the zip: pack it again."),
    "method": gettext_noop("%(path)s is compressed in an unusual way: use the ordinary method (deflate)."),
    "duplicate": gettext_noop("%(path)s and %(other)s have the same name: keep one of them."),
    "file_as_folder": gettext_noop("%(path)s lies in a file as if it were a folder: pack it again."),
    "ratio": gettext_noop("%(path)s unpacks to more than %(limit)d times its size: leave out such a file."),
    "too_big_unpacked": gettext_noop("The zip unpacks to more than %(limit)d MiB: leave something out."),
    "no_elf": gettext_noop("The program is not in the format ELF: build it for Linux on x86-64."),
    "script": gettext_noop(
        "The program is a script (it begins with “#!”): upload Python or JavaScript as .py or .js, or a program."
    ),
    "other_program": gettext_noop("The program is one for %(system)s: build it for Linux on x86-64."),
    "broken_elf": gettext_noop("The program's ELF header is not sound: build it again."),
    "elf_32_bit": gettext_noop(
        "The program is a 32-bit one (%(machine)s): build it for 64-bit x86-64, with gcc by -m64."
    ),
    "elf_machine": gettext_noop(
        "The program is built for another processor (%(machine)s): build it for x86-64."
    ),
    "elf_system": gettext_noop(
        "The program is built for another system (ELF OS/ABI %(number)d): build it for Linux."
    ),
    "elf_no_program": gettext_noop(
        "The file is an ELF library, object or core file, not a program: link it, with gcc by -static."
    ),
    "elf_dynamic": gettext_noop(
        "The program needs shared libraries, which are not there: link it statically, with “gcc -O2 -static” "
        "(or musl-gcc), “CGO_ENABLED=0 go build”, or Rust's target x86_64-unknown-linux-musl."
    ),
    "syntax": gettext_noop("Syntax error in %(path)s, line %(line)d: %(message)s"),
    "not_source": gettext_noop("The file %(path)s cannot be compiled: %(message)s"),
    "too_much_source": gettext_noop(
        "The file %(path)s cannot be compiled within %(seconds)g s and %(memory)d MiB: write it more plainly."
    ),
}
"""What is wrong with an upload, by code, in words for its author."""

PUBLIC_SENTENCES: Final = {
    "entry_in_folder": gettext_noop("The zip has none of these at its top: %(entry)s."),
    "encrypted": gettext_noop("The zip is encrypted."),
    "absolute_path": gettext_noop("The zip has a file with an absolute path."),
    "outside": gettext_noop("The zip has a file that leads out of the bot's folder."),
    "long_path": gettext_noop("The zip has a file with too long a path."),
    "odd_name": gettext_noop("The zip has a file with an odd name."),
    "link": gettext_noop("The zip has a link or a special file."),
    "method": gettext_noop("The zip is compressed in an unusual way."),
    "duplicate": gettext_noop("The zip has two files of the same name."),
    "file_as_folder": gettext_noop("The zip has a file that lies in another as if it were a folder."),
    "binary_source": gettext_noop("A source file of the zip is not source but binary data."),
    "source_not_utf8": gettext_noop("A source file of the zip is not UTF-8."),
    "coding": gettext_noop("A Python file declares another encoding than UTF-8."),
    "broken_entry": gettext_noop("The zip is damaged."),
    "backslash": gettext_noop("The zip has a file with a backslash in its name."),
    "reserved": gettext_noop("The zip has a file with a name that Windows keeps for a device."),
    "two_names": gettext_noop("The zip has a file with two names."),
    "full_folder": gettext_noop("The zip has a folder that has content."),
    "long_extra": gettext_noop("The zip has %(n)d bytes of remarks on a file."),
    "disagree": gettext_noop("The zip describes a file in two ways."),
    "overlap": gettext_noop("The zip has files that share their bytes."),
    "ratio": gettext_noop("The zip has a file that unpacks to more than %(limit)d times its size."),
    "syntax": gettext_noop("Syntax error in a source file, line %(line)d."),
    "not_source": gettext_noop("A source file cannot be compiled."),
    "too_much_source": gettext_noop(
        "A source file cannot be compiled within %(seconds)g s and %(memory)d MiB."
    ),
}
"""The same for everybody, where the author's sentence quotes the upload: names of files, or its source."""


class PackageError(Exception):
    """An upload that cannot be played: `code`, and the `facts` of its sentence, JSON values."""

    def __init__(self, code: str, **facts: str | float) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts
        # What is wrong, where, and what to do: for the author.
        self.sentence = SENTENCES[code] % facts

    def __str__(self) -> str:
        return self.sentence

    @property
    def public_sentence(self) -> str:
        """What is wrong, for everybody: it holds nothing of the upload."""
        return PUBLIC_SENTENCES.get(self.code, SENTENCES[self.code]) % self.facts
