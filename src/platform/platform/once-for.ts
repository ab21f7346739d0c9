/** Makes something once for each key, such as the rows that were claimed together; as long as the key is held. */
export class OnceFor<Key extends object, Made> {
  private readonly made = new WeakMap<Key, Made>();

  get(key: Key, make: () => Made): Made {
    const made = this.made.get(key) ?? make();
    this.made.set(key, made);
    return made;
  }
}
