import type { Resource } from '../../health/catalogue/catalogue.js';
import type { AuditEntity, DayProofEntity } from './audit.entity.js';
import type { ComparedDay, DifferenceKind } from './day-comparison.js';

export function countOf({ differences }: ComparedDay, kind: DifferenceKind): number {
  return differences.filter((one) => one.kind === kind).length;
}

type Differences = Pick<DayProofEntity, 'missing' | 'extra' | 'differing' | 'fields'>;

export function differencesOf(day: ComparedDay): Differences {
  const fields = [...new Set(day.differences.flatMap((one) => one.fields))].sort();
  return {
    missing: countOf(day, 'missing'),
    extra: countOf(day, 'extra'),
    differing: countOf(day, 'different'),
    fields: JSON.stringify(fields),
  };
}

/** The row of a day that is equal, unless more is said. */
export function proofOf(audit: AuditEntity, resource: Resource, day: ComparedDay, lookedAt: number): DayProofEntity {
  return {
    account_id: audit.account_id,
    resource: resource.name,
    provider: day.provider,
    day: day.day,
    state: 'proven',
    hash: day.hash,
    objects: day.objects,
    looked_at: lookedAt,
    proven_at: null,
    ...differencesOf(day),
    cause: null,
    audit_id: audit.id,
    task_id: null,
    looks: 0,
    look_due_at: null,
  };
}
