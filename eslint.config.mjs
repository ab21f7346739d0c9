import tseslint from 'typescript-eslint';

/** Type-aware rules; formatting belongs to Biome. */
export default tseslint.config(
  {
    ignores: [
      'dist/**',
      '.test-build/**',
      'coverage/**',
      'node_modules/**',
      'clients/typescript/dist/**',
      'clients/typescript/src/api.ts',
      '**/*.mjs',
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['console/**/*.ts', 'console/**/*.tsx'],
    languageOptions: { parserOptions: { project: './console/tsconfig.json' } },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/config/environment.ts', 'src/platform/platform/time.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/platform/config/environment.ts alone reads the environment.',
        },
        { object: 'Date', property: 'now', message: 'Use the Clock of platform/clock.ts.' },
        { object: 'Date', property: 'parse', message: 'Use parseInstant or parseUtcInstant of platform/time.ts.' },
      ],
    },
  },
  // The table of all variables.
  { files: ['src/platform/config/config.ts'], rules: { 'max-lines': 'off' } },
  // The baseline has one function per subject, in the order in which tables refer to each other.
  { files: ['migrations/**/*.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'max-lines': 'off',
    },
  },
);
