if (!process.env.TEST_DATABASE_URL) {
  process.stderr.write(
    'Set TEST_DATABASE_URL to a PostgreSQL that may be written to, e.g. postgres://user@127.0.0.1:5432/test\n',
  );
  process.exit(1);
}
