import { getMetadataStorage } from 'class-validator';

/** Where the document's library keeps what `@ApiProperty` says of a property. */
const propertyKey = 'swagger/apiModelProperties';

interface Rule {
  readonly name?: string;
  readonly propertyName: string;
  readonly constraints?: readonly unknown[];
}

/**
 * Says in the document what `@Matches` holds properties to. Call before the document is made; a second time is idle.
 */
export function showPatterns(): void {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: ReadonlyMap<{ readonly prototype: object }, readonly Rule[]>;
  };
  for (const [{ prototype }, rules] of validationMetadatas) {
    for (const { name, propertyName, constraints } of rules) {
      const [pattern] = constraints ?? [];
      if (name !== 'matches' || !(pattern instanceof RegExp)) continue;
      const said = Reflect.getMetadata(propertyKey, prototype, propertyName) as Record<string, unknown> | undefined;
      if (!said || said['pattern'] !== undefined || said['isArray'] === true || said['enum'] !== undefined) continue;
      Reflect.defineMetadata(propertyKey, { ...said, pattern: sourceOf(pattern) }, prototype, propertyName);
    }
  }
}

/** JSON Schema knows no flags; the one that patterns here have says that hexadecimal letters may be upper case. */
function sourceOf({ source, flags }: RegExp): string {
  return flags.includes('i') ? source.replaceAll('a-f', 'a-fA-F') : source;
}
