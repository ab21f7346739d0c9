import { readable, readableBytes } from './personal-data.js';

describe('a row in an export', () => {
  it('has readable times, parsed JSON, and no internal columns', () => {
    const row = {
      account_id: 7,
      created_at: 0,
      range_end: 1_000,
      covered_until: null,
      floating_time: 1,
      duration_ms: 5,
      ingestion_start: '2026-01-01',
      history: '[{"a":1}]',
      facts: 'not json',
      lease_owner: 'x',
      due_at: 5,
    };
    expect(readable(row, { as: 'thing', json: ['history', 'facts'], without: ['due_at'] }).data).toEqual({
      created_at: '1970-01-01T00:00:00.000Z',
      range_end: '1970-01-01T00:00:01.000Z',
      covered_until: null,
      floating_time: true,
      duration_ms: 5,
      ingestion_start: '2026-01-01',
      history: [{ a: 1 }],
      facts: 'not json',
    });
  });

  it('has bytes as text, or as base64 if they are not text', () => {
    expect(readableBytes(Buffer.from('{"ü":1}'))).toEqual({ body: '{"ü":1}' });
    expect(readableBytes(Buffer.from([0xff, 0x00]))).toEqual({ body: null, body_base64: '/wA=' });
    expect(readableBytes(null)).toEqual({ body: null });
  });
});
