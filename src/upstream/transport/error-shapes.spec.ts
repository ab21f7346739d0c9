import fc from 'fast-check';
import { classify } from './error-shapes.js';

const userId = '00000000-0000-4000-8000-000000000001';
const asJson = (body: unknown) => JSON.stringify(body);

describe('classify', () => {
  it.each([
    [
      'validation items',
      422,
      {
        detail: [
          { loc: ['body', 'client_user_id'], msg: 'm', type: 'missing', input: 'x' },
          { loc: ['query', 'limit'], msg: 'm', type: 't' },
        ],
      },
      { shape: 'validation', locs: ['body.client_user_id', 'query.limit'] },
    ],
    [
      'an index and a key that is not a name',
      422,
      { detail: [{ loc: ['body', 'answers', 0, 'a b@c'], msg: '', type: '' }] },
      { shape: 'validation', locs: ['body.answers.0.*'] },
    ],
    ['a text on 422', 422, { detail: 'bad uuid' }, { shape: 'text' }],
    ['a text on 404', 404, { detail: 'User not found' }, { shape: 'text' }],
    [
      'the conflict response to create user',
      400,
      { detail: { error_type: 'INVALID_REQUEST', error_message: 'm', user_id: userId, created_on: 'd' } },
      { shape: 'conflict', errorType: 'INVALID_REQUEST', userId },
    ],
    [
      'a typed refusal without a user',
      400,
      { detail: { error_type: 'INVALID_REQUEST', error_message: 'm' } },
      { shape: 'typed', errorType: 'INVALID_REQUEST' },
    ],
    [
      'a user id that is not a UUID',
      400,
      { detail: { error_type: 'X', user_id: 'me@example.org' } },
      { shape: 'typed', errorType: 'X' },
    ],
    ['a code that is a sentence', 400, { detail: { error_type: 'not a code' } }, { shape: 'typed' }],
    [
      'an order that cannot be cancelled',
      400,
      { error: 'Bad Request', message: 'm', status_code: 400 },
      { shape: 'order' },
    ],
    [
      'a refresh without connections',
      400,
      { success: false, user_id: userId, error: 'm', failed_sources: [] },
      { shape: 'refresh' },
    ],
    ['an undocumented object', 400, { problem: 'm' }, { shape: 'unknown' }],
    ['a list', 500, ['m'], { shape: 'unknown' }],
  ])('recognises %s [errors-and-limits#error-bodies]', (_, status, body, detail) => {
    expect(classify(status, 'application/json', asJson(body))).toEqual(detail);
  });

  it('recognises plain text, HTML and an empty body [errors-and-limits#error-bodies]', () => {
    expect(classify(500, 'text/plain', 'Internal Server Error')).toEqual({ shape: 'plain_text' });
    expect(classify(404, 'text/html', '<html></html>')).toEqual({ shape: 'plain_text' });
    expect(classify(500, 'application/json', '"oops"')).toEqual({ shape: 'plain_text' });
    expect(classify(503, undefined, ' \n')).toEqual({ shape: 'empty' });
  });

  it('judges the body, not the content type', () => {
    expect(classify(404, 'text/plain', asJson({ detail: 'none' }))).toEqual({ shape: 'text' });
  });

  it('lists each location once and keeps the list short', () => {
    const items = Array.from({ length: 500 }, (_, i) => ({ loc: ['body', Math.floor(i / 2)], msg: '', type: '' }));
    expect(classify(422, 'application/json', asJson({ detail: items.slice(0, 2) })).locs).toEqual(['body.0']);
    expect(classify(422, 'application/json', asJson({ detail: items })).locs).toHaveLength(20);
  });

  it('never throws and never repeats text of the body, whatever the body is [errors-and-limits#error-bodies]', () => {
    const canary = fc.constant('canary value 7');
    const body = fc.oneof(
      fc.string(),
      fc.jsonValue().map(asJson),
      fc.record({ detail: fc.oneof(canary, fc.record({ error_type: canary, user_id: canary })) }).map(asJson),
      fc.record({ detail: fc.array(fc.record({ loc: fc.array(canary), msg: canary })) }).map(asJson),
      fc.record({ error: canary, message: canary }).map(asJson),
    );
    fc.assert(
      fc.property(body, fc.integer({ min: 300, max: 599 }), (text, status) => {
        expect(asJson(classify(status, 'application/json', text))).not.toContain('canary');
      }),
    );
  });
});
