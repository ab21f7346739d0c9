import { AppError, type CodedError } from '../../platform/platform/errors.js';
import { UpstreamError, type UpstreamErrorFacts } from '../../upstream/transport/upstream-error.js';
import { failureOf } from './refusal.js';

const upstream = (facts: Partial<UpstreamErrorFacts>): UpstreamError =>
  new UpstreamError({ kind: 'rejected', reason: 'status', operation: 'POST /v3/order', ...facts });
const told = (error: unknown): { settled: boolean; code: string } => {
  const failure = failureOf(error);
  return { settled: failure.settled, code: (failure.error as CodedError).code };
};

describe('a failed call', () => {
  it.each<[Partial<UpstreamErrorFacts>, boolean, string]>([
    [{ status: 400, detail: { shape: 'text' } }, true, 'order_refused'],
    [{ status: 400, detail: { shape: 'order' } }, true, 'order_refused'],
    [{ status: 422, detail: { shape: 'validation' } }, true, 'order_refused'],
    [{ status: 400, detail: { shape: 'plain_text' } }, false, 'upstream_rejected'],
    [{ status: 400, detail: { shape: 'unknown' } }, false, 'upstream_rejected'],
    [{ status: 422 }, false, 'upstream_rejected'],
    [{ status: 409 }, false, 'placement_in_progress'],
    [{ status: 401 }, false, 'upstream_rejected'],
    [{ status: 404 }, false, 'upstream_rejected'],
    [{ kind: 'throttled', status: 429 }, false, 'upstream_throttled'],
    [{ kind: 'unavailable', reason: 'timeout' }, false, 'upstream_unavailable'],
    [{ kind: 'unavailable', reason: 'circuit_open' }, false, 'upstream_unavailable'],
    [{ kind: 'contract', reason: 'not_json', status: 200 }, false, 'upstream_contract'],
  ])('of %j is settled: %s, and reported as %s', (facts, settled, code) => {
    expect(told(upstream(facts))).toEqual({ settled, code });
  });

  it('for an unknown user has placed nothing', () => {
    expect(told(new AppError('conflict', 'no user'))).toEqual({ settled: true, code: 'conflict' });
  });

  it('tells the caller to repeat the same request if the outcome is unknown', () => {
    const { error } = failureOf(upstream({ kind: 'unavailable', reason: 'network' }));
    expect(error).toMatchObject({ message: expect.stringContaining('same key and body'), retryAfterSeconds: 1 });
  });

  it('lists the fields that upstream refused, if they are known fields of an order', () => {
    const locs = [
      'body.patient_details.first_name',
      'body.consents.0.version',
      'body.Ada_Lovelace',
      'body.patient_details.*',
      'body',
    ];
    const { error } = failureOf(upstream({ status: 422, detail: { shape: 'validation', locs } }));
    expect((error as AppError).fields?.map(({ field }) => field)).toEqual([
      'patient_details.first_name',
      'consents[0].version',
      '*',
      'patient_details.*',
      'body',
    ]);
  });
});
