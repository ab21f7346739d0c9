import { randomUUID } from 'node:crypto';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A random uuid (version 4), lower case. */
export function newId(): string {
  return randomUUID();
}

/** True for the 8-4-4-4-12 form of any version, in either case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
