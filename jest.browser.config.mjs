import base from './jest.config.mjs';

/** What a person sees, in Chromium: `npm run test:browser`. */
export default { ...base, roots: ['<rootDir>/test/browser'], testPathIgnorePatterns: [], randomize: false };
