/**
 * Facts about single providers that upstream's interface does not tell. A provider that is not named has none of them.
 */

/**
 * Connected by the mobile SDK on the phone with a sign-in token, never with a link token
 * (docs/upstream/linking-and-tokens.md#phone-providers).
 */
const phoneProviders: ReadonlySet<string> = new Set(['apple_health_kit', 'health_connect', 'samsung_health']);

export function isPhoneProvider(provider: string): boolean {
  return phoneProviders.has(provider);
}
