"""Removes from a list of crates whatever differs between builds, and checks that the list is complete.

Usage: cargo tree … | sbom.py DRAFT OUT. Every crate of the tree must be in it with its licence, and with its hash if it is from a registry.
"""

import json
import re
import sys

draft, out = sys.argv[1:]
with open(draft, encoding="utf-8") as file:
    text = file.read()
bom = json.loads(text)
place = bom["metadata"]["component"]["bom-ref"].split("#")[0].removeprefix("path+")
bom = json.loads(text.replace(f"path+{place}", "path+file://."))
bom["metadata"].pop("timestamp", None)
bom.pop("serialNumber", None)

faults = []
if bom.get("bomFormat") != "CycloneDX":
    faults.append("it is no CycloneDX")
known = {}
for part in bom["components"]:
    name = f"{part['name']} {part['version']}"
    known[name] = part
    if not any("expression" in licence or "license" in licence for licence in part.get("licenses", [])):
        faults.append(f"{name} has no licence")
    if not part.get("purl", "").startswith("pkg:cargo/"):
        faults.append(f"{name} has no address")
    # The crates of this workspace come from no registry.
    if not part.get("hashes") and not part["bom-ref"].startswith("path+file://."):
        faults.append(f"{name} has no hash")
ours = bom["metadata"]["component"]["name"]
for line in sys.stdin:
    crate = re.match(r"(\S+) v(\S+)", line)
    if crate and crate[1] != ours and f"{crate[1]} {crate[2]}" not in known:
        faults.append(f"{crate[1]} {crate[2]} is not listed")
text = json.dumps(bom, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
if "file:///" in text:
    faults.append("it names a folder of this machine")
if faults:
    sys.exit("\n".join(sorted(set(faults))))
with open(out, "w", encoding="utf-8") as file:
    file.write(text)
print(f"{out}: {len(known)} crates, each with its licence")
