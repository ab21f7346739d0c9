import { createHash } from 'node:crypto';
import { readResult } from '../../upstream/client/wire-orders.js';
import { canonicalJson, contentOf, type ResultContent } from './result-content.js';

const transaction = { id: 't', status: 'active', orders: [] };
const glucose = { name: 'Glucose', result: '5.1', type: 'numeric', unit: 'mmol/L' };
const wire = (over: object = {}): object => ({
  metadata: { patient: 'P', status: 'final', interpretation: 'normal' },
  results: [glucose],
  ...over,
});
const content = (over: object = {}): ResultContent => contentOf(readResult(wire(over)));

describe('the content of a result', () => {
  it('is canonical JSON, and the checksum is computed from it', () => {
    const { content: text, checksum, bytes } = content();
    expect(text).toBe(
      '{"metadata":{"interpretation":"normal","patient":"P","status":"final"},"missing_results":[],' +
        '"results":[{"name":"Glucose","result":"5.1","type":"numeric","unit":"mmol/L"}]}',
    );
    expect(checksum).toBe(createHash('sha256').update(text).digest('hex'));
    expect(bytes).toBe(text.length);
  });

  it('is the same for any order of fields, and with an empty or missing list of missing results', () => {
    const { name, ...rest } = glucose;
    expect(content({ results: [{ ...rest, name }], missing_results: [] })).toEqual(content());
  });

  it('does not change with the state of the transaction', () => {
    expect(content({ order_transaction: transaction })).toEqual(content());
  });

  it.each([
    ['a value', { results: [{ ...glucose, result: '5.2' }] }],
    ['the order of results', { results: [{ name: 'Iron' }, glucose] }],
    ['a missing result', { missing_results: [{ name: 'Iron' }] }],
    ['the metadata', { metadata: { patient: 'P', status: 'partial', interpretation: 'normal' } }],
    ['an unknown field', { addendum: 'text' }],
  ])('changes with %s', (_, over) => {
    expect(content(over).checksum).not.toBe(content().checksum);
  });

  it('keeps a free-form object of old results and unknown fields unchanged', () => {
    const kept = JSON.parse(content({ results: { GLU: { v: 1.5 } }, addendum: [null] }).content) as object;
    expect(kept).toMatchObject({ results: { GLU: { v: 1.5 } }, addendum: [null] });
  });

  it.each([
    ['final', 'final'],
    ['Final', 'final'],
    ['corrected', 'final'],
    ['Amended', 'final'],
    [null, 'final'],
    [undefined, 'final'],
    ['partial', 'partial'],
    ['preliminary', 'partial'],
    ['', 'partial'],
    [1, 'partial'],
  ])('with the status %j counts as %s [results#partial-or-final]', (said, status) => {
    expect(content({ metadata: { status: said } }).status).toBe(status);
  });
});

describe('canonical JSON', () => {
  it.each([
    [{ b: 1, a: { d: [2, { f: 1, e: 0 }], c: null } }, '{"a":{"c":null,"d":[2,{"e":0,"f":1}]},"b":1}'],
    [{ a: undefined }, '{}'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['a\u0000"b', '"a\\u0000\\"b"'],
    [null, 'null'],
  ])('of %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
