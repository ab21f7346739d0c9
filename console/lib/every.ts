/**
 * A list of all values of a type, such as an enum of the API. It does not compile if one is missing, so a value that
 * the API gets is not forgotten here.
 */
export function everyOf<T extends string>() {
  return <const L extends readonly T[]>(list: L & ([Exclude<T, L[number]>] extends [never] ? unknown : never)): L =>
    list;
}
