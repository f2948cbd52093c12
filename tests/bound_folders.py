"""Folders of pictures in class folders, as people keep them: each is read rightly, or answered with a question"""
import json
import shutil

import numpy as np
import pandas as pd
from PIL import Image

from bound_sets import outcome

NAMES = (["cat", "dog", "fox"], ["猫", "狗", "狐狸"], ["Käfer", "Fliege", "Mücke"], ["bénin", "malin", "douteux"],
         ["sano", "enfermo", "dudoso"], ["E. coli", "S. aureus", "K. pneumoniae"], ["0", "1", "2"],
         ["melanoma", "nevus", "keratosis"], ["normal", "bacterial", "viral"], ["NORMAL", "PNEUMONIA", "TB"])
FAULTS = (   # what somebody or some program did, and whether that has to be asked
    "plain right", "splits right", "splits in Chinese right", "capital splits right", "nested by date right",
    "date above class either", "hidden files right", "apple files right", "hidden folder right", "apple folder right",
    "thumbnails right", "upper suffix right", "jpeg suffix right", "png called jpg right", "text called png ask",
    "empty picture ask", "cut picture ask", "a loose picture either", "an empty class right", "masks inside ask",
    "copy in another class either", "copy in another split either", "two sizes either", "pages ask",
    "table that agrees right", "table that disagrees either", "table of half either", "table names none ask",
    "class twice in capitals either", "split misspelt either", "site above class ask", "one class either",
    "grey and colour right", "blanks in names right", "numbers as classes right", "notes beside right", "webp right",
    "sixteen bits either",
    "same names in classes right", "augmented beside either", "split as table either", "train alone right",
    "class folders of folders right", "a link right", "alpha right", "predictions inside ask")


def picture(rng, size=(20, 16)):
    return Image.fromarray(rng.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8))


def class_folder(folder, seed):
    "`(root, label by path, split by path, what, must)`"
    rng = np.random.default_rng(seed)
    what, _, must = FAULTS[seed % len(FAULTS)].rpartition(" ")
    names = list(NAMES[int(rng.integers(len(NAMES)))])
    if what == "numbers as classes": names = ["0", "1", "10"]
    if what == "blanks in names": names = ["E. coli (ATCC)", "no growth seen", "S. aureus #2"]
    if what == "one class": names = names[:1]
    if what == "class twice in capitals": names = ["Cat", "cat", "dog"]
    root, labels, splits = folder/f"set{seed}", {}, {}
    parts = [""]
    if what in ("splits", "copy in another split", "table that agrees", "augmented beside"): parts = ["train", "test"]
    if what == "splits in Chinese": parts = ["训练集", "测试集"]
    if what == "capital splits": parts = ["Train", "Test"]
    if what == "split misspelt": parts = ["trian", "test"]
    if what == "train alone": parts = ["train"]
    if what == "site above class": parts = ["north", "south"]
    days = ["2024-01-02", "2024-01-03"] if what in ("nested by date", "date above class") else [""]
    named = {"upper suffix": ".PNG", "jpeg suffix": ".JPEG", "webp": ".webp", "png called jpg": ".jpg"}
    suffix = named.get(what, ".png")
    k = 0
    for part in parts:
        for day in days:
            for name in names:
                at = [part, day, name] if what == "date above class" else [part, name, day]
                if what == "class folders of folders": at = [part, name, str(rng.choice(["left", "right"]))]
                place = root.joinpath(*filter(None, at))
                place.mkdir(parents=True, exist_ok=True)
                for i in range(int(rng.integers(3, 6))):
                    k += 1
                    n = i if what == "same names in classes" else k
                    to = place/f"{'img ' if 'blanks' in what else ''}{n:03}{suffix}"
                    im = picture(rng, (24, 16) if what == "two sizes" and k % 3 == 0 else (20, 16))
                    if what == "grey and colour" and k % 2: im = im.convert("L")
                    if what == "alpha": im.putalpha(255)
                    if what == "sixteen bits": im = Image.fromarray(rng.integers(0, 60_000, (16, 20), dtype=np.uint16))
                    im.save(to, format={".JPEG": "JPEG", ".webp": "WEBP"}.get(suffix, "PNG"))
                    labels[to.relative_to(root).as_posix()] = name
                    splits[to.relative_to(root).as_posix()] = part.casefold()
    paths = list(labels)
    first, last = root/paths[0], root/paths[-1]
    spoilt(what, root, first, last, paths, names, labels, splits, rng)
    return root, labels, splits, f"{what} {names}", must


def spoilt(what, root, first, last, paths, names, labels, splits, rng):
    "What lies beside the pictures, or was done to one of them"
    if what == "hidden files":
        (first.parent/".DS_Store").write_bytes(b"\0\1")
        shutil.copy(first, first.parent/".hidden.png")
    if what == "apple files":
        for p in paths: (root/p).with_name(f"._{(root/p).name}").write_bytes(b"\0\5\x16\7" + bytes(100))
    if what == "hidden folder":
        (first.parent/".thumbs").mkdir()
        shutil.copy(first, first.parent/".thumbs"/"t.png")
        (root/".ipynb_checkpoints").mkdir()
        shutil.copy(first, root/".ipynb_checkpoints"/"c.png")
    if what == "apple folder":
        (root/"__MACOSX"/names[0]).mkdir(parents=True)
        (root/"__MACOSX"/names[0]/f"._{first.name}").write_bytes(b"\0\5\x16\7" + bytes(100))
    if what == "thumbnails":
        (first.parent/"Thumbs.db").write_bytes(b"\xd0\xcf\x11\xe0")
        (first.parent/"@eaDir").mkdir()
        shutil.copy(first, first.parent/"@eaDir"/"SYNOPHOTO_THUMB_M.png")
    if what == "text called png": first.write_text("no picture")
    if what == "empty picture": first.write_bytes(b"")
    if what == "cut picture": first.write_bytes(first.read_bytes()[:200])
    if what == "a loose picture": shutil.copy(first, root/"overview.png")
    if what == "an empty class": (root/"zebra").mkdir()
    if what == "masks inside":
        (root/"masks").mkdir()
        for p in paths: shutil.copy(first, root/"masks"/f"{p.replace('/', '-')}")
    if what == "copy in another class": shutil.copy(first, last.parent/"copy.png")
    if what == "copy in another split":
        to = last.parent.parent/names[0]/"copy.png"
        shutil.copy(first, to)
        labels[to.relative_to(root).as_posix()], splits[to.relative_to(root).as_posix()] = names[0], "test"
    if what == "pages":
        import tifffile
        pages = rng.integers(0, 255, (3, 16, 20), dtype=np.uint8)
        tifffile.imwrite(first.with_suffix(".tif"), pages, photometric="minisblack")
    if what.startswith("table"):
        rows = pd.DataFrame(dict(file_name=paths, label=[labels[p] for p in paths]))
        if what == "table that agrees": rows["split"] = [splits[p] for p in paths]
        if what == "table that disagrees": rows["label"] = list(reversed(rows["label"]))
        if what == "table of half": rows = rows[::2]
        if what == "table names none": rows["file_name"] = [f"x{p}" for p in paths]
        rows.to_csv(root/"metadata.csv", index=False)
    if what == "split as table": (root/"train.txt").write_text("\n".join(paths[::2]))
    if what == "notes beside":
        (root/"README.md").write_text("notes")
        (first.parent/"notes.txt").write_text("notes")
    if what == "augmented beside":
        to = first.with_name(f"{first.stem}_flip.png")
        Image.open(first).transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(to)
        labels[to.relative_to(root).as_posix()], splits[to.relative_to(root).as_posix()] = names[0], "train"
    if what == "a link":
        (root/"link").symlink_to(first.parent, target_is_directory=True)
    if what == "predictions inside":
        (root/"predictions").mkdir()
        shutil.copy(first, root/"predictions"/first.name)


def class_folder_case(folder, seed):
    "`(seed, what, must, Outcome)` of one folder"
    from mic_eval.data.class_sets import check_classes, class_set, set_doubts
    root, labels, splits, what, must = class_folder(folder, seed)

    def read():
        data = class_set(root)
        broken = [f.text for f in check_classes(root).findings if f.severity == "error"]
        if broken: raise ValueError(broken[0])
        return data, " ".join(map(str, set_doubts(data)))

    def right(found):
        data, doubts = found
        facts, lost = data.facts.set_index("path"), [p for p in labels if p not in set(data.facts["path"])]
        said = dict([("table of half", "in no row of the table"), ("table that disagrees", "folder of another class"),
                     ("copy in another class", "under two classes"), ("one class", "only one class"),
                     ("class twice in capitals", "capitals or blanks alone"),
                     ("split as table", "train.txt is not read"),
                     ("copy in another split", "more than one split"), ("a loose picture", "have no class")])
        told = next((text for k, text in said.items() if what.startswith(k)), None)
        if told is not None: return "" if told in doubts else f"not said: {told}"
        if lost: return f"{len(lost)} pictures lost, {lost[0]}"
        more = [p for p in facts.index if p not in labels]
        if more: return f"{len(more)} of {len(facts)} are none, {more[0]}"
        wrong = [p for p in labels if facts.loc[p, "label"] != labels[p]]
        if wrong: return f"{wrong[0]} is {facts.loc[wrong[0], 'label']}"
        known = dict(zip(("训练集", "测试集"), ("train", "test")))
        if set(splits.values()) & {"train", "训练集"} and "split" in facts:
            return "" if all(facts.loc[p, "split"] == known.get(s, s) for p, s in splits.items()) else "splits"
        return "no splits" if set(splits.values()) & {"train", "训练集"} else ""
    return seed, what, must, outcome(read, right, (root.name, ".png", ".tif", ".csv", "class", "label", *labels))


# Folders about which a person has to be asked, and what is right

WORDS = (("ref", "kratzer"), ("muster", "riss"), ("témoin", "rayure"), ("patrón", "grieta"), ("标准件", "划痕"),
         ("golden sample", "dent #2"))
OPEN = ("kinds", "kinds with masks", "kinds of two objects", "kinds alone", "two layouts", "half the masks",
        "masks of nobody", "masks of two nobodies", "sizes", "two folders of images", "another split", "levels",
        "levels in splits", "masks among classes")


def asked_folder(folder, seed):
    "`(root, what, typed, label by picture)`: nothing in the folder decides; the labels are those of one of the answers"
    rng, what = np.random.default_rng(seed), OPEN[seed % len(OPEN)]
    root, labels, typed = folder/f"open {seed}", {}, []
    good, bad = WORDS[int(rng.integers(len(WORDS)))] if "kinds" in what else ("good", "scratch")

    def shown(place, label, n=4):
        for i in range(n):
            to = root/place/f"{i:03}.png"
            to.parent.mkdir(parents=True, exist_ok=True)
            picture(rng).save(to)
            labels[to] = label

    def drawn(place, numbers=range(4), ending="_mask"):
        (root/place).mkdir(parents=True, exist_ok=True)
        for i in numbers:
            a = np.zeros((16, 20), np.uint8)
            a[3:9, 4:9] = 255
            Image.fromarray(a).save(root/place/f"{i:03}{ending}.png")

    if what in ("levels", "levels in splits"):
        for part in [""] if what == "levels" else ["train", "test"]:
            for site in ("north", "south"):
                for name in ("cat", "dog"): shown(f"{part}/{site}/{name}".strip("/"), name)
        return root, what, typed, labels
    if what == "masks among classes":
        for name in ("cat", "dog", "masks"): shown(name, name)
        return root, what, typed, labels
    if what == "sizes":
        for size in ("realiad_256", "realiad_512"):
            for part, kind in (("OK/S0001", "OK"), ("OK/S0002", "OK"), ("NG/BX/S0001", "BX")):
                to = root/size/"mint"/part/f"mint_0001_{kind}_C1_2023.jpg"
                to.parent.mkdir(parents=True)
                picture(rng).save(to)
                if kind == "BX": drawn(to.parent.relative_to(root), (1,), "")
                if kind == "BX": (to.parent/"001.png").rename(to.with_suffix(".png"))
                if size == "realiad_512": labels[to] = int(kind == "BX")
        return root, what, typed, labels
    if what == "two folders of images":
        for place in ("raw", "small"):
            shown(f"{place}/good", 0)
            shown(f"{place}/cut", 1)
        labels = {p: v for p, v in labels.items() if "small" in p.parts}
        listed = [dict(filename=f"{kind}/{i:03}.png", label=int(kind == "cut"), label_name=kind, clsname="well")
                  for kind in ("good", "cut") for i in range(4)]
        (root/"test.json").write_text("\n".join(map(json.dumps, listed)))
        return root, what, typed, labels
    for name in ("a", "b") if what == "kinds of two objects" else ("",):
        home = f"{name}/test" if name else "" if what == "kinds alone" else "test"
        shown(f"{home}/{good}".strip("/"), 0, 5)
        shown(f"{home}/{bad}".strip("/"), 1)
    if what == "kinds with masks":
        shown("test/other", 1)
        for kind in (bad, "other"): drawn(f"ground_truth/{kind}")
    if what in ("two layouts", "another split") or "nobod" in what: drawn(f"ground_truth/{bad}")
    if what == "half the masks": drawn(f"ground_truth/{bad}", (0, 2))
    if "nobod" in what:
        for kind in ("old", "older still")[:1+("two" in what)]: drawn(f"ground_truth/{kind}")
    if what == "two layouts":
        rows = pd.DataFrame([dict(path=p.relative_to(root).as_posix(), label=v) for p, v in labels.items()])
        rows.assign(sample_id=rows.path.str[:-4]).to_csv(root/"manifest.csv", index=False)
    if what == "another split": typed = ["--split", "tset"]
    return root, what, typed, labels
