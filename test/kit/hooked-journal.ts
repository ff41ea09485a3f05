/** A journal in memory whose database calls a hook before every statement, for tests of failures and crashes. */
import { MemoryJournalStorage, type JournalDatabase } from "../../src/history/connection.js";
import type { SqlValue, Statement } from "../../src/sqlite.js";

export interface StatementRun {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly writes: boolean;
}

export class HookedPlace extends MemoryJournalStorage {
  /** Called before each statement; where it throws, the statement fails. */
  before: (run: StatementRun) => void = () => {};
  commit: <Result>(work: () => Result) => Result = (work) => work();

  override async open(): Promise<JournalDatabase | undefined> {
    const database = await super.open();
    return (
      database && {
        exec: (sql) => database.exec(sql),
        close: () => {},
        transaction: (work) => this.commit(() => database.transaction(work)),
        prepare: <Row extends readonly SqlValue[]>(sql: string): Statement<Row> => {
          const statement = database.prepare<Row>(sql);
          const hooked =
            <Result>(call: (...values: SqlValue[]) => Result, writes = false) =>
            (...values: SqlValue[]): Result => {
              this.before({ sql, values, writes });
              return call(...values);
            };
          return {
            run: hooked((...values) => statement.run(...values), true),
            get: hooked((...values) => statement.get(...values)),
            all: hooked((...values) => statement.all(...values)),
          };
        },
      }
    );
  }
}
