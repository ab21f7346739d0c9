import { readEnvironment } from '../../sandbox/environment.js';

describe('environment of the sandbox', () => {
  it('keeps defaults for what is unset and reads what is set', () => {
    expect(readEnvironment({})).toEqual({ options: {}, faults: [] });
    const set = { SANDBOX_PORT: '0', SANDBOX_TIME_SCALE: '2.5', SANDBOX_SEED: 's', SANDBOX_API_KEY_HEADER: 'x-key' };
    expect(readEnvironment(set).options).toEqual({ port: 0, timeScale: 2.5, seed: 's', apiKeyHeader: 'x-key' });
  });

  it('names all invalid variables together and no value', () => {
    const { faults } = readEnvironment({
      SANDBOX_PORT: '99999',
      SANDBOX_API_KEY: ' ',
      SANDBOX_API_KEY_HEADER: 'bad header',
      SANDBOX_SEED: '',
      SANDBOX_USERS: '-1',
      SANDBOX_WEBHOOK_URL: 'ftp://secret-host',
      SANDBOX_WEBHOOK_SECRET: 'whsec_short',
      SANDBOX_TIME_SCALE: 'fast',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'SANDBOX_PORT',
      'SANDBOX_API_KEY',
      'SANDBOX_API_KEY_HEADER',
      'SANDBOX_SEED',
      'SANDBOX_USERS',
      'SANDBOX_WEBHOOK_URL',
      'SANDBOX_WEBHOOK_SECRET',
      'SANDBOX_TIME_SCALE',
    ]);
    expect(faults.join(' ')).not.toContain('secret-host');
  });
});
