"""Rows made of another scanner's tests: a text with its key, or no row at all."""

import json
import subprocess
import sys

from infra.measure.outside_secrets import half_of, rows_in

PLAIN = """
func TestShop_Pattern(t *testing.T) {
	tests := []struct{ name, input string; want []string }{
		{
			name:  "valid pattern",
			input: `first
shop_key = "k3yOf4Sh0p99"
`,
			want: []string{"k3yOf4Sh0p99"},
		},
	}
}
"""
NAMED = """
var (
	validPattern = "t0kenOf2Depot"
	keyword      = "depot"
)
		{
			name:  "valid pattern - with keyword",
			input: fmt.Sprintf("%s token = '%s'", keyword, validPattern),
			want:  []string{validPattern},
		},
"""
MADE_UP = """
		{
			name:  "valid pattern",
			input: readFile(t),
			want:  []string{"madeUpElsewhere"},
		},
"""


def a_checkout(folder, **tests):
    for name, text in tests.items():
        place = folder / "pkg" / "detectors" / name
        place.mkdir(parents=True)
        (place / f"{name}_test.go").write_text(text)
    return folder


def test_a_detectors_first_valid_text_becomes_a_row_with_the_places_of_its_key(tmp_path):
    shop, depot = sorted(
        rows_in(a_checkout(tmp_path, shop=PLAIN, depot=NAMED)), key=lambda row: -len(row["text"])
    )
    (place,) = shop["spans"]
    assert shop["text"][place["start"] : place["end"]] == "k3yOf4Sh0p99"
    assert (shop["id"], shop["label"], place["type"]) == ("shop", "secret", "shop")
    assert depot["text"] == "depot token = 't0kenOf2Depot'"
    assert depot["spans"] == [{"start": 15, "end": 28, "type": "depot"}]


def test_a_text_that_is_not_in_the_file_makes_no_row(tmp_path):
    assert list(rows_in(a_checkout(tmp_path, elsewhere=MADE_UP))) == []


def test_the_halves_are_apart_and_together_all(tmp_path):
    names = [f"shop{number}" for number in range(8)]
    checkout = a_checkout(tmp_path, **{name: PLAIN for name in names})
    kept = []
    for half in ("0", "1"):
        file = tmp_path / f"{half}.jsonl"
        module = "infra.measure.outside_secrets"
        command = [sys.executable, "-m", module, str(checkout), str(file), "--half", half]
        subprocess.run(command, check=True)
        kept.append([json.loads(line)["id"] for line in file.read_text().splitlines()])
    assert all(kept)
    assert sorted(kept[0] + kept[1]) == names
    assert kept[1] == [name for name in names if half_of(name)]
