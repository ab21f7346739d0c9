export const FAULT_KINDS = [
  'status',
  'timeout',
  'drop_before',
  'drop_after',
  'truncate',
  'slow',
  'slow_after',
  'fail_after',
  'bad_json',
  'empty',
  'plain_text_500',
  'repeat_cursor',
  'skip_cursor',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRule {
  kind: FaultKind;
  /** Prefix of the path called, or a regular expression when it starts with `^`. */
  path: string;
  method?: string;
  status?: number;
  /** What a `status` is answered with, instead of a detail in JSON. */
  body?: string;
  content_type?: string;
  retry_after?: number;
  delay_ms?: number;
  /** How often it strikes; without it until removed. */
  times?: number;
  /** Matching calls let through first. */
  skip?: number;
}

interface ActiveRule extends FaultRule {
  struck: number;
  skipped: number;
}

function matches(rule: FaultRule, method: string, path: string): boolean {
  if (rule.method !== undefined && rule.method.toUpperCase() !== method) return false;
  return rule.path.startsWith('^') ? new RegExp(rule.path).test(path) : path.startsWith(rule.path);
}

/** Faults armed by name. The first rule that matches a call and is not used up strikes it. */
export class Faults {
  private rules: ActiveRule[] = [];

  add(rule: FaultRule): void {
    this.rules.push({ ...rule, struck: 0, skipped: 0 });
  }

  clear(): void {
    this.rules = [];
  }

  list(): (FaultRule & { struck: number })[] {
    return this.rules.map((rule) => ({ ...rule }));
  }

  /** The fault for this call, counted as struck. A repeated cursor needs a call that carries one. */
  strike(call: { method: string; path: string; hasCursor: boolean }): FaultRule | null {
    for (const rule of this.rules) {
      if (rule.times !== undefined && rule.struck >= rule.times) continue;
      if (!matches(rule, call.method, call.path)) continue;
      if (rule.kind === 'repeat_cursor' && !call.hasCursor) continue;
      if (rule.skipped < (rule.skip ?? 0)) {
        rule.skipped += 1;
        continue;
      }
      rule.struck += 1;
      return rule;
    }
    return null;
  }
}
