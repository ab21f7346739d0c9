import base from './jest.config.mjs';

/** Takes minutes, so it runs only if it is named. */
const left = process.argv.some((argument) => argument.includes('scale')) ? [] : ['scale\\.spec\\.ts$'];

/** What a person sees, in Chromium: `npm run test:browser`. */
export default { ...base, roots: ['<rootDir>/test/browser'], testPathIgnorePatterns: left, randomize: false };
