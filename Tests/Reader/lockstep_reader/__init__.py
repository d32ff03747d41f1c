"""An independent reader of Lockstep's formats, written from Docs/Formats.md alone.

It shares no code, and no author's knowledge, with the Swift programs: where the two disagree about the
same bytes, either the page is unclear or one of them is wrong.
"""

from .refusal import Refused

__all__ = ["Refused"]
