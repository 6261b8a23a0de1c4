#!/usr/bin/env bash
# Files of src/world and src/contact name no kind of things (docs/architecture.md): what they want of one is in the table of its model,
# and its door is in src/things. Says each line that does.
set -u
cd "$(dirname "$0")/.." || exit 2

words='rigid|bod(y|ies)|fibres?|sheets?|solids?|rods?|strands?|hairs?|grains|flows?'
kinds="(^|[^a-z])($words)([^a-z]|$)|cps(rigid|body|fibre|sheet|solid)"
# Words that mean something else:
allowed=(
  'rigid[_ ]?motion'                       # a velocity and a spin, of anything
  'rigid impact'                           # zones, as the papers call them
  'rigid velocities'                       # a field of them
  'CPS_TIE_ROD'                            # a tie that keeps a distance,
  '[Ss]pring or rod|Rods and springs'      # as comments say it
  'cps_problem_from_bodies'                # the friction solver calls a block of rows a body,
  '\.body(_count|_dofs)? ='                # and so do the fields of its form
  'def->body_axes'                         # a field of a public struct
  'what is rigid'                          # a sentence for users
)
join() { local IFS='|'; echo "$*"; }

bad=0
for file in src/world/*.[ch] src/contact/*.[ch]; do
  sed -E "s/$(join "${allowed[@]}")//Ig" "$file" | grep -niEH --label="$file" "$kinds" && bad=1
done
[ $bad = 0 ] || echo "these lines name a kind of things: ask the table of its model (src/model/model.h), or move them to the files of that kind in src/things"
exit $bad
