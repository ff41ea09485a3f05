/** Pairs of numbers, found by the first: any number of them costs V8's collector four objects, and each pair about 16 bytes. */

const NONE = -1;
const FIRST_ROOM = 64;

/** The same pair may stand in it more than once. */
export class NumberPairs {
  /** By a key's bucket, the place of its first pair; then from pair to pair. A power of two. */
  #heads = new Int32Array(FIRST_ROOM).fill(NONE);
  #keys = new Int32Array(FIRST_ROOM);
  #values = new Int32Array(FIRST_ROOM);
  #nexts = new Int32Array(FIRST_ROOM);
  /** Places from here on were never used; those given back are linked from `#free` on. */
  #used = 0;
  #free = NONE;

  /** @param key and value: whole numbers of 32 bits */
  add(key: number, value: number): void {
    const place = this.#take();
    const bucket = this.#bucketOf(key);
    this.#keys[place] = key;
    this.#values[place] = value;
    this.#nexts[place] = this.#heads[bucket] ?? NONE;
    this.#heads[bucket] = place;
  }

  /** Removes one such pair, if there is one. */
  delete(key: number, value: number): void {
    const bucket = this.#bucketOf(key);
    let before = NONE;
    for (let place = this.#heads[bucket] ?? NONE; place !== NONE; place = this.#nexts[place] ?? NONE) {
      if (this.#keys[place] === key && this.#values[place] === value) {
        const next = this.#nexts[place] ?? NONE;
        if (before === NONE) this.#heads[bucket] = next;
        else this.#nexts[before] = next;
        this.#nexts[place] = this.#free;
        this.#free = place;
        return;
      }
      before = place;
    }
  }

  has(key: number, value: number): boolean {
    for (let place = this.#heads[this.#bucketOf(key)] ?? NONE; place !== NONE; place = this.#nexts[place] ?? NONE)
      if (this.#keys[place] === key && this.#values[place] === value) return true;
    return false;
  }

  /** The second numbers of a key's pairs, in no particular order. */
  of(key: number): number[] {
    const values: number[] = [];
    for (let place = this.#heads[this.#bucketOf(key)] ?? NONE; place !== NONE; place = this.#nexts[place] ?? NONE)
      if (this.#keys[place] === key) values.push(this.#values[place] ?? 0);
    return values;
  }

  #bucketOf(key: number): number {
    // Keys that follow one another and keys that end alike are spread all the same.
    const mixed = Math.imul(key ^ (key >>> 16), 0x45d9f3b);
    return (mixed ^ (mixed >>> 15)) & (this.#heads.length - 1);
  }

  #take(): number {
    const place = this.#free;
    if (place !== NONE) {
      this.#free = this.#nexts[place] ?? NONE;
      return place;
    }
    if (this.#used === this.#keys.length) this.#grow();
    return this.#used++;
  }

  /** Only when every place is in use, so that all places hold pairs. */
  #grow(): void {
    const room = this.#used * 2;
    this.#keys = enlarged(this.#keys, room);
    this.#values = enlarged(this.#values, room);
    this.#nexts = enlarged(this.#nexts, room);
    this.#heads = new Int32Array(room).fill(NONE);
    for (let place = 0; place < this.#used; place++) {
      const bucket = this.#bucketOf(this.#keys[place] ?? 0);
      this.#nexts[place] = this.#heads[bucket] ?? NONE;
      this.#heads[bucket] = place;
    }
  }
}

function enlarged(numbers: Int32Array, room: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(room);
  larger.set(numbers);
  return larger;
}
