#!/usr/bin/env bash
# usage: scene.sh CAPSTAN   Writes the reference of scene files (Markdown) from the keys that the command knows to the
# standard output.
set -euo pipefail
capstan=$1
cat <<'HEAD'
# Scene files

Made from the schema by `scripts/scene.sh` (`make docs`); a test compares. [Write your first scene](../guide/scenes.md) is
the place to begin; `capstan check FILE` says what is wrong with a file, `capstan check --keys` lists the keys below.

A scene is a YAML file. In a path, `*` stands for a name you give (letters, digits, `-` and `_`) and `[]` for the entries
of a list. A default of "none" means that nothing is said; **required** keys must be there if their map is.

## Values

| type | what may be written |
|---|---|
| `number`, `length`, `angle`, `time`, … | a number in SI units (angles in radians): `0.002`, `2e-3`; or with a unit: `2 mm`, `30 deg`; or a parameter: `$mu`; or an expression: `= 2 * radius` |
| `length[3]` | a list of three |
| `length[]`, `length[][3]` | a list of any length; a list of triples |
| `count` | a whole number |
| `bool` | `true` or `false` (`yes`, `no`, `on`, `off`) |
| `name` | a name that stands elsewhere in the scene |
| `file` | a file, looked for beside the file that names it |
| `method`, `local solver` | a name that `capstan methods` lists |
| `rod model` | `super-helix`, `super-helix-recursive`, `super-clothoid`, `mass-spring`, `corde`, `corde-explicit`, `der`, `der-inextensible`, `der-projected` |
| `"world" \| "body"` | one of these words |
| `map`, `list` | keys and values; a list of such maps |

A range may follow: `length > 0`. NaN and infinities are refused everywhere.

**Units**: m dm cm mm um µm nm km, kg g mg t, s ms us µs min h, rad deg ° rpm, Hz kHz, N mN kN MN, Pa kPa MPa GPa, and
products of up to six of them: `7.8 g/cm3`, `9.81 m/s^2`, `3 N m`, `12 m^-1`. A unit of another dimension than the key's is refused.

**Expressions** begin with `=` and know `+ - * / ^ ( )`, `sin cos tan asin acos atan atan2 sqrt abs exp log floor ceil min
max`, `pi`, `g` (9.81) and the parameters, in any order. All is in SI units there; one unit may follow a number (`= r +
2 mm`). They have at most 512 characters and 32 levels. In braces or brackets YAML splits at commas: write `"= max(a, b)"`
with quotes there.

**Anchors and aliases** of YAML (`&a`, `*a`) make copies; `<<: *a` adds the keys of a map that are not there yet.

**Includes**: `include: other.yaml` or a list. The other file is a scene that lies below this one: maps are merged key by
key, anything else is taken from the file that includes; of several files the later ones win.

**Overrides**: `--set KEY=VALUE` of `capstan check` and `capstan run` puts a value at a path before the scene is checked:
`--set time.step='2 ms'`, `--set bodies.block.box.size[2]=0.1`, `--set gravity='[0, 0, 0]'`. A parameter needs no path:
`--set mu=0.3`, and `*` stands for every name: `--set fibres.*.model=der`. Of several the last wins. A name that the file does not have is refused, unless a whole map is given:
`--set bodies.more='{sphere: {radius: 0.1}}'`.

**Limits**, so that no file can take all memory or time: 8 MB of text with all includes, 700 000 values with aliases
expanded, 48 levels, 64 files, a thousand materials, a million bodies (100 000 in a `pack`, 5000 stones in an arch), 200 000
fibres with 10 000 elements each and four million together, 10 000 points of a hull, 20 000 of a curve, a million vertices or triangles of a mesh, and a bound on files, curves, hulls and
stones all together that two meshes of half a million triangles do not reach.
HEAD

section() {
  case $1 in
    include) printf '\n## The scene\n' ;;
    materials) printf '\n## Materials and friction\n\nThe most specific value wins: that of a body or obstacle, of a pair in `friction`, of a material, of `contact`.\n' ;;
    bodies) cat <<'TEXT'

## Bodies

Each entry has exactly one shape (`sphere`, `box`, `capsule`, `cylinder`, `hull`, `compound`) and makes one body, or many by
`copies`, `grid` or `pack`. `pile`, `wall`, `arch`, and `pack` with a radius, bring their own shapes. Bodies of a generator
are called `name[0]`, `name[1]`, … The generator's own axes are placed by `position` and `rotation`.
TEXT
      ;;
    obstacles) cat <<'TEXT'

## Obstacles

Each entry has exactly one shape: those of bodies, `plane`, `mesh`, `tube` or `container`.
TEXT
      ;;
    fibres) cat <<'TEXT'

## Fibres

Each entry makes one fibre, or many by `copies`, `grid` or `bundle`, called `name[0]`, `name[1]`, … A fibre is a line
(`points` or `curve`), or it has a root, a `direction`, a `length` and curvatures. Its first axis points along it, the second
and third are those of its section; curvatures are triples: twist, bending about the second, bending about the third axis.
`position` and `rotation` place the line, the root or the generator's own axes.
TEXT
      ;;
    sheets) cat <<'TEXT'

## Sheets

Each entry makes one sheet of triangles, from a `grid`, a `disc`, a `tube` or a `file`. See [cloth](../guide/cloth.md) for
an introduction.
TEXT
      ;;
    solids) cat <<'TEXT'

## Solids

Each entry makes one soft solid of tetrahedra, from a `box`, a `ball`, a mesh `file` or a closed surface to `fill`. See
[soft bodies](../guide/soft.md) for an introduction.
TEXT
      ;;
    grid) printf '\n## Grains\n\n`grains:` fills shapes with sand; `grid:` sets the cells that its stress is computed on. See [sand](../guide/grains.md).\n' ;;
    flow) printf '\n## Flow\n\n`flow:` is dense flow of grains in a fixed domain, without particles. See [sand](../guide/grains.md#flow-in-a-fixed-domain).\n' ;;
    ties) printf '\n## Ties\n\nA tie holds a point of one thing to a point of another. See [ties](../guide/ties.md).\n' ;;
    start) printf '\n## Start and inverse design\n' ;;
    pulls) printf '\n## Pulls\n\nThe force on the point is `force` times the factor of `sine` or `table`, and `stiffness` times the way to the target less\n`damping` times the velocity relative to it.\n' ;;
    loads) printf '\n## Loads\n' ;;
    time) printf '\n## Time\n' ;;
    solver) printf '\n## Solver\n' ;;
    contact) printf '\n## Contact\n' ;;
    threads) printf '\n## Threads and output\n' ;;
    sweep) printf '\n## Sweeps and camera\n' ;;
    *) return 0 ;;
  esac
  printf '\n| key | type | default | meaning |\n|---|---|---|---|\n'
}

last=
# an empty field is kept because tabs become bars first
"$capstan" check --keys | tr '\t' '\037' | while IFS=$'\037' read -r path type fallback summary; do
  top=${path%%[.[]*}
  [ "$top" = "$last" ] || section "$top"
  last=$top
  [ -n "$fallback" ] && default="\`$fallback\`" || default='**required**'
  [ "$fallback" = none ] && default=none
  case $path in *.\*) default= ;; esac
  printf '| `%s` | `%s` | %s | %s |\n' "$path" "${type//|/\\|}" "$default" "$summary"
done
