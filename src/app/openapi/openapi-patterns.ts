import { getMetadataStorage } from 'class-validator';

/** Metadata key under which @nestjs/swagger stores `@ApiProperty`. */
const propertyKey = 'swagger/apiModelProperties';

interface Rule {
  readonly name?: string;
  readonly propertyName: string;
  readonly constraints?: readonly unknown[];
}

/** Copies the pattern of `@Matches` into `@ApiProperty`. Call before the document is built. Idempotent. */
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

/** JSON Schema patterns have no flags; ours use `i` only for hexadecimal letters. */
function sourceOf({ source, flags }: RegExp): string {
  return flags.includes('i') ? source.replaceAll('a-f', 'a-fA-F') : source;
}
