#!/usr/bin/env bash
# What close readings of the numbers found, as commands: ATELIER=PATH GOLDEN=FOLDER tests/findings/run.sh
#
# Each paragraph prints one finding's number or sentence. Run it with the program of before and of after.
# ATELIER is the program, `target/debug/atelier` where it is not named.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
atelier=${ATELIER:-$root/target/debug/atelier}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

finding() { printf '\n== %s\n' "$*"; }
heading() { grep -o 'aria-label="[^"]*"' "$1" | head -1 | cut -d'"' -f2; }

finding "p of three points (model A1): Spearman's was 0.000"
"$atelier" coupling --model scholar-4 --task sum,topic --rows 4 2>/dev/null | grep "swapping" | head -4

finding "a label that is a number (model A2): 1, 1, 3, 5 stars were counted as 2, 2, 4, 5"
cat >stars.toml <<'T'
name = "stars"
about = "how many stars?"
score = "option"
files = ["stars.jsonl"]
template = "{text} The number of stars is {answer}"
options = ["1", "2", "3", "4", "5"]

[[layout]]
fields = { text = "{text}" }
label = "{stars}"
T
printf '%s\n' '{"text":"Bad.","stars":"1"}' '{"text":"Poor.","stars":"1"}' '{"text":"Fair.","stars":"3"}' '{"text":"Great.","stars":"5"}' >stars.jsonl
"$atelier" tasks check stars.toml --data . 2>&1 | head -20

finding "Fisher's mean over tasks (model A3): one perfect coefficient made it 0.9996"
"$atelier" survey --models scholar-2 --tasks topic,quiz,fact,often,same,follows,mood,sense,sum,last --rows 100 --out survey >/dev/null 2>&1
python3 - <<'P'
import json
found = json.load(open("survey/survey.atelier.json"))["survey"]["correlations"]
own = [one["probability"]["diversity"]["spearman"]["r"] for one in found if "task" in one]
mean = [one for one in found if "task" not in one][0]["probability"]
print("Spearman of diversity, each:", [round(r, 2) for r in own], "plain mean", round(sum(own) / len(own), 3))
print("Avg. of diversity", round(mean["diversity"]["spearman"]["r"], 4), "of -MSE", round(mean["minus_mse"]["spearman"]["r"], 4))
P

finding "changes of accuracy without width (model B1, study B4): about half were [x, x]"
"$atelier" orders --model scholar-12 --task sum,mood,topic --strategy drop,swap --rows 32 --json 2>/dev/null >orders.json
python3 - <<'P'
import json
changes = [v["measures"]["change"] for task in json.load(open("orders.json"))["orders"] for v in task["variants"] + task["points"]]
print(sum(c["low"] == c["high"] for c in changes), "of", len(changes), "have no width; one of no changed row:", next(c for c in changes if c["mean"] == 0))
P

finding "means of four rows (model B2): the bootstrap covered 78 % of them"
"$atelier" orders --model scholar-2 --task sum --strategy drop --rows 4 --json 2>/dev/null | python3 -c 'import json,sys; print("margin:", json.load(sys.stdin)["orders"][0]["variants"][0]["measures"]["margin"])'

finding "accuracy of need (study B9): 8 of 8 right was [1, 1]"
"$atelier" need --model scholar-12 --task topic --rows 8 --json 2>/dev/null | python3 -c 'import json,sys; print(json.load(sys.stdin)["need"][0]["accuracy"])'

finding "the survey's headings (chart D2, learner C3-C6, C14, student A9, A10)"
"$atelier" figures "$root/public/examples/survey.atelier.json" --out figures >/dev/null 2>&1
find figures -name '*.svg' -printf '%f ' | tr ' ' '\n' | sed 's/\..*//' | sort -u | tr '\n' ' '
for figure in fig-2-shapes fig-3-correlation fig-6-depth table-1 levels fig-4-shares tradeoff; do
    for file in figures/"$figure"*.svg; do
        [ -f "$file" ] && printf '\n%s: %s' "$figure" "$(heading "$file")"
    done
done
echo

finding "the lens's headline (chart D3): it said \"good\" up to block 1's attention, and good stood at one stroke alone"
"$atelier" train rows --task mood --rows 60 --level 5 | sed -n 19p >row.jsonl
"$atelier" lens --model scholar-2 --prompts row.jsonl --json 2>/dev/null | head -1 >/dev/null
python3 - >ask.sh <<'P'
import json, shlex
row = json.loads(open("row.jsonl").read())
words = ["--prompt", row["prompt"]] + [w for option in row["options"] for w in ("--option", option)] + ["--answer", str(row["answer"])]
print(" ".join(map(shlex.quote, words)))
P
eval "$atelier" lens --model scholar-2 "$(cat ask.sh)" --json >lens.json 2>/dev/null
"$atelier" figures lens.json --out lens >/dev/null 2>&1
for file in lens/*running*.svg; do heading "$file"; done | sort -u

finding "doubt (chart D4): \"Only the last stroke brings the distribution\" where every depth is at the end"
"$atelier" lens --model scholar-12 --prompt "We see horse A, hat B and axe C. So take beast" --option " A" --option " B" --option " C" --option " D" --answer 0 --lens 5 --plan "0a~h0.1.2.3" --json >doubt.json 2>/dev/null
"$atelier" figures doubt.json --out doubt >/dev/null 2>&1
grep -ho 'Only the last stroke[^<"]*\|From [^<"]* within 0.1 nats[^<"]*' doubt/*.svg | sort -u
