const esmPackages =
  '@nestjs|@electric-sql|axios|jose|fast-check|pure-rand|file-type|strtok3|token-types|uint8array-extras|@borewit|@tokenizer|content-disposition|cookie|js-yaml|es-toolkit|p-queue|p-timeout|eventemitter3|commander';

/** Jest runs CommonJS and compiles the ESM-only packages too: docs/decisions/0002-esm-and-jest.md. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  randomize: true,
  maxWorkers: '100%',
  workerIdleMemoryLimit: '2GB',
  testTimeout: 60_000,
  globalSetup: '<rootDir>/test/support/build.mjs',
  globalTeardown: '<rootDir>/test/support/remove-build.mjs',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages})/)`],
  transform: {
    '^.+\\.([cm]?js|ts)$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2023',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
      },
    ],
  },
};
