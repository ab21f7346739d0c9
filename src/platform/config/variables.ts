import { type Config, type SectionName, sections } from './config.js';
import type { Setting } from './setting.js';

export interface Variable extends Setting<unknown> {
  readonly section: SectionName;
  /** Name of its value in the section. */
  readonly key: string;
}

/** Every variable by its name. */
export const variables: Readonly<Record<string, Variable>> = Object.fromEntries(
  (Object.keys(sections) as SectionName[]).flatMap((name) =>
    Object.entries<Setting<unknown>>(sections[name].settings).map(([key, setting]) => [
      setting.name,
      { ...setting, section: name, key },
    ]),
  ),
);

/** The value of a variable as the process uses it. */
export function valueIn(config: Config, { section: name, key }: Variable): unknown {
  return (config[name] as unknown as Readonly<Record<string, unknown>>)[key];
}
