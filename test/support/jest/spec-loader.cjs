const { relative } = require('node:path');

/** A line that has Node load what the global setup has compiled a spec file to. */
function line(path, { rootDir }) {
  const built = `/${relative(rootDir, path)
    .replace(/\.ts$/, '.js')
    .replace(/^console/, 'console-rules')}`;
  return `globalThis.jest = jest; requireOfNode(process.env.PULSEKEEP_TEST_BUILD + ${JSON.stringify(built)});`;
}

/** Jest's transform of a spec file. */
module.exports = {
  process: (_source, path, { config }) => ({ code: line(path, config) }),
  getCacheKey: (_source, path, { config }) => Buffer.from(line(path, config)).toString('base64url'),
};
