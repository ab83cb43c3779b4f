"""Links of the pages: each leads somewhere, every page is in its catalogue's topics, and no file names a page that is gone.

    pages.py
"""
import pathlib
import re
import subprocess
import sys

CATALOGUES = [pathlib.Path("Sources/Fleet/Documentation.docc"), pathlib.Path("Sources/FanfareKit/FanfareKit.docc")]
# Each lists all other pages of its catalogue.
LANDING = {"Fleet/Documentation.docc": "Fanfare", "FanfareKit/FanfareKit.docc": "FanfareKit"}
TEXT = {".md", ".swift", ".sh", ".py", ".yml", ".yaml", ".java"}


def prose(text):
    """The text without its code, which has links of its own."""
    return re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def catalogue(folder):
    pages = {path.stem: path.read_text() for path in sorted(folder.glob("*.md"))}
    for name, text in pages.items():
        where = folder / f"{name}.md"
        # <doc:Page>, or <doc:Page>, *Heading*
        for page, heading in re.findall(r"<doc:(\w+)>(?:,\s+\*([^*]+)\*)?", text):
            if page not in pages:
                yield f"{where}: there is no page {page}"
            elif heading and not re.search(rf"^#+ {re.escape(' '.join(heading.split()))}$", pages[page], re.M):
                yield f"{where}: {page} has no heading {heading}"
        for image in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
            if not list(folder.rglob(image)):
                yield f"{where}: there is no image {image}"
    landing = LANDING["/".join(folder.parts[-2:])]
    listed = re.findall(r"^- <doc:(\w+)>", pages[landing], re.M)
    for name in pages.keys() - {landing}:
        if listed.count(name) != 1:
            yield f"{folder / landing}.md: {name} stands {listed.count(name)} times in the topics"


def files():
    pages = {path.name for folder in CATALOGUES for path in folder.glob("*.md")} | {"README.md"}
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    for path in map(pathlib.Path, tracked):
        if path.suffix not in TEXT or not path.exists():
            continue
        text = path.read_text()
        for name in re.findall(r"(?<![\w/.-])[A-Z]\w+\.md\b", text):
            if name not in pages:
                yield f"{path}: there is no page {name}"
        for place in re.findall(r"Documentation\.docc/([\w/]+\.\w+)", text):
            if not (CATALOGUES[0] / place).exists():
                yield f"{path}: there is no {place} in {CATALOGUES[0]}"
        if path.suffix != ".md" or path.parent in CATALOGUES:
            continue
        links = re.findall(r"\]\(([^)#\s]+)", prose(text)) + re.findall(r"^\[\w+\]: (\S+)$", text, re.M)
        for link in links:
            if "://" not in link and not (path.parent / link).exists():
                yield f"{path}: {link} leads nowhere"
        named = set(re.findall(r"^\[(\w+)\]: ", text, re.M))
        for name in re.findall(r"(?<![\]!\w])\[([A-Z]\w+)\](?![\[(:])", prose(text)) if named else []:
            if name not in named:
                yield f"{path}: [{name}] is no link"


problems = [problem for folder in CATALOGUES for problem in catalogue(folder)] + list(files())
print("\n".join(problems))
sys.exit(1 if problems else 0)
