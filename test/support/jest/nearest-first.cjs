const { readFileSync } = require('node:fs');
const { basename, dirname } = require('node:path');

/** The file that `npm run mutants` has changed, from the project's root. */
const changed = process.env.PULSEKEEP_MUTANT ?? '';
const room = `${dirname(changed)}/`;
const file = basename(changed, '.ts');

/** Distance of a spec file from the change: next to it, importing it, importing from its room, anywhere. */
function nearness({ path }) {
  if (path.includes(room)) return 3;
  const text = readFileSync(path, 'utf8');
  return text.includes(`/${file}.js`) ? 2 : Number(text.includes(room));
}

/** Jest's test sequencer: a mistake is mostly noticed by the tests next to it, which then need not wait. */
module.exports = class NearestFirst {
  sort(tests) {
    const near = new Map([...tests].map((test) => [test, nearness(test)]));
    return [...tests].sort((a, b) => near.get(b) - near.get(a) || (a.path < b.path ? -1 : 1));
  }

  /** Called after a run; nothing is remembered. */
  cacheResults() {}
};
