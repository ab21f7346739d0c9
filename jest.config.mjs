/** Jest finds and runs the spec files; Node loads them, compiled: docs/decisions/0002-esm-and-jest.md. */
export default {
  testEnvironment: '<rootDir>/test/support/jest/one-realm-environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/console'],
  // What needs a browser: npm run test:browser.
  testPathIgnorePatterns: ['<rootDir>/test/browser/'],
  testMatch: ['**/*.spec.ts'],
  randomize: true,
  maxWorkers: '100%',
  workerIdleMemoryLimit: '2GB',
  // Only for what hangs: a slow machine with other work must not reach it.
  testTimeout: 240_000,
  reporters: ['default', '<rootDir>/test/support/jest/hung-files.mjs'],
  globalSetup: '<rootDir>/test/support/build.mjs',
  globalTeardown: '<rootDir>/test/support/remove-build.mjs',
  transform: { '\\.spec\\.ts$': '<rootDir>/test/support/jest/spec-loader.cjs' },
};
