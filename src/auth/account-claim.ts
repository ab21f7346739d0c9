const maxLength = 255;

/** Control characters, and halves of characters that would all be stored as the same mark. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

/** True for what can be an account id: a text of 1 to 255 characters that every store keeps apart from any other. */
export function isAccountId(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= maxLength && !unstorable.test(value);
}
