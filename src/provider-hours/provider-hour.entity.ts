import { Entity } from 'typeorm';
import { IntKey, TextKey } from '../database/columns.js';

/** That an event brought data of a provider in an hour, whoever it was about: what a silence is held against. */
@Entity('provider_hours')
export class ProviderHourEntity {
  /** Its beginning, in epoch milliseconds. */
  @IntKey() hour: number;
  @TextKey() provider: string;
}
