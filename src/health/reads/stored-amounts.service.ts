import { Injectable } from '@nestjs/common';
import { GrowthReader } from './growth.reader.js';

export type { StoredAmount } from './growth.reader.js';

/** Amounts of what accounts (`accounts.id`) store, and the size of a sample. */
@Injectable()
export class StoredAmounts extends GrowthReader {}
