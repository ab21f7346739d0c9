/** Makes a value once per key, such as rows claimed together, and keeps it as long as the key exists. */
export class OnceFor<Key extends object, Made> {
  private readonly made = new WeakMap<Key, Made>();

  get(key: Key, make: () => Made): Made {
    const made = this.made.get(key) ?? make();
    this.made.set(key, made);
    return made;
  }
}
