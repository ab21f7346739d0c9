import { Baseline1764000000000 } from './1764000000000-baseline.js';

/**
 * In order. Nothing was released yet, so the baseline changes with the schema; from 1.0 on a migration never changes.
 */
export const migrations = [Baseline1764000000000];
