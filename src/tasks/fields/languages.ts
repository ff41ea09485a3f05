/** Words of other languages, for every vault. Of synonyms the first is written. */

/** To Do; In Progress; Blocked; Done; Cancelled. */
export const STATUS_ROWS: Readonly<Record<string, string>> = {
  de: `
    offen, zu erledigen, ausstehend, neu, geplant, nicht begonnen;
    in Arbeit, in Bearbeitung, wird bearbeitet, läuft, begonnen, angefangen;
    wartet, wartend, warten, warten auf, blockiert, pausiert, zurückgestellt;
    erledigt, fertig, abgeschlossen, fertiggestellt, gemacht, beendet;
    abgebrochen, abgesagt, storniert, verworfen`,
  fr: `
    à faire, ouvert, ouverte, nouveau, prévu, non commencé;
    en cours, en progression, commencé;
    en attente, bloqué, bloquée, suspendu, en pause;
    terminé, terminée, fini, finie, fait, faite, achevé, accompli;
    annulé, annulée, abandonné, abandonnée`,
  es: `
    pendiente, por hacer, abierto, abierta, nuevo, planificado, sin empezar;
    en curso, en progreso, en proceso, haciendo, empezado;
    en espera, esperando, bloqueado, bloqueada, en pausa, pausado;
    hecho, hecha, terminado, terminada, completado, completada, finalizado, acabado;
    cancelado, cancelada, anulado, descartado`,
  pt: `
    a fazer, por fazer, pendente, aberto, aberta, novo, não iniciado;
    em andamento, em progresso, em curso, fazendo, iniciado;
    em espera, aguardando, esperando, bloqueado, bloqueada, pausado;
    concluído, concluída, feito, feita, terminado, finalizado, completo;
    cancelado, cancelada, anulado, descartado`,
  it: `
    da fare, aperto, aperta, nuovo, da iniziare, non iniziato;
    in corso, in lavorazione, iniziato;
    in attesa, bloccato, bloccata, in pausa, in sospeso;
    fatto, fatta, completato, completata, finito, terminato, concluso, chiuso;
    annullato, annullata, cancellato, scartato`,
  nl: `
    te doen, nog te doen, openstaand, nieuw, gepland, niet gestart;
    bezig, in uitvoering, in behandeling, lopend, gestart;
    in de wacht, wachtend, wacht op, geblokkeerd, uitgesteld, gepauzeerd;
    klaar, gedaan, voltooid, afgerond, afgesloten, gereed;
    geannuleerd, afgezegd, ingetrokken`,
  pl: `
    do zrobienia, otwarte, nowe, zaplanowane, nierozpoczęte;
    w toku, w trakcie, w realizacji, rozpoczęte;
    wstrzymane, zablokowane, oczekuje, oczekujące, czeka;
    zrobione, ukończone, zakończone, gotowe, wykonane;
    anulowane, odwołane, porzucone`,
  ru: `
    к выполнению, сделать, открыто, новое, новая, запланировано, не начато;
    в работе, в процессе, выполняется, начато;
    ожидание, ожидает, заблокировано, заблокирована, на паузе, отложено;
    готово, выполнено, выполнена, завершено, завершена, сделано;
    отменено, отменена, отменён`,
  ja: `
    未着手, 未対応, 未完了, 新規, やること, 予定;
    進行中, 作業中, 対応中, 処理中, 実行中;
    保留, 保留中, 待ち, ブロック, 一時停止;
    完了, 済み, 済, 終了, 完了済み;
    キャンセル, 中止, 取消`,
  zh: `
    待办, 待處理, 待处理, 未开始, 未開始, 未完成, 待辦, 计划中;
    进行中, 進行中, 处理中, 處理中, 正在进行;
    等待, 等待中, 阻塞, 暂停, 暫停, 搁置, 擱置;
    已完成, 完成, 结束, 結束;
    已取消, 取消, 废弃, 放弃, 放棄`,
  ko: `
    할 일, 할일, 시작 전, 미완료, 예정, 신규;
    진행 중, 진행중, 작업 중, 처리 중;
    보류, 보류 중, 차단됨, 일시 중지;
    완료, 완료됨, 종료, 끝남;
    취소, 취소됨, 중단`,
};

/** High; Medium; Low. */
export const PRIORITY_ROWS: Readonly<Record<string, string>> = {
  de: `
    hoch, hohe, sehr hoch, höchste, dringend, wichtig, kritisch;
    mittel, mittlere, standard;
    niedrig, niedrige, gering, niedrigste, unwichtig`,
  fr: `
    haute, haut, élevé, élevée, critique, prioritaire;
    moyenne, moyen, normale;
    basse, bas, faible, mineure, mineur`,
  es: `
    alta, alto, urgente, importante, crítica, crítico;
    media, medio;
    baja, bajo, mínima`,
  pt: `
    alta, alto, urgente, importante, crítica, crítico;
    média, médio;
    baixa, baixo, mínima`,
  it: `
    alta, alto, urgente, importante, critica, massima;
    media, medio, normale;
    bassa, basso, minima`,
  nl: `
    hoog, hoge, hoogste, spoed, belangrijk, kritiek;
    gemiddeld, normaal, normale;
    laag, lage, laagste`,
  pl: `
    wysoki, wysoka, pilne, pilny, ważne, krytyczny;
    średni, średnia, normalny;
    niski, niska`,
  ru: `
    высокий, высокая, срочно, важно, критично;
    средний, средняя, нормальный;
    низкий, низкая`,
  ja: `
    高, 高い, 最優先, 緊急, 至急, 重要;
    中, 普通, 通常, 標準;
    低, 低い`,
  zh: `
    高, 最高, 紧急, 緊急, 重要;
    中, 中等, 普通, 一般;
    低, 最低, 次要`,
  ko: `
    높음, 높은, 긴급, 중요;
    보통, 중간;
    낮음, 낮은`,
};

/** Field: keys. */
export const KEY_ROWS: Readonly<Record<string, string>> = {
  de: `
    status: Status, Zustand; priority: Priorität, Dringlichkeit;
    due: fällig, Fälligkeit, fällig am, Fälligkeitsdatum, Frist, Abgabe;
    scheduled: geplant, geplant am, geplant für; start: Start, Beginn, Startdatum, ab;
    completed: erledigt am, abgeschlossen am, Abschlussdatum;
    created: erstellt, erstellt am, Erstellungsdatum; area: Bereich, Lebensbereich;
    projects: Projekt, Projekte; contexts: Kontext, Kontexte; tags: Schlagwörter, Schlagworte;
    blockedBy: wartet auf, blockiert durch, blockiert von, abhängig von;
    recurrence: Wiederholung, wiederholen; timeEstimate: Dauer, Aufwand, Zeitschätzung; title: Titel;
    type: Typ, Art`,
  fr: `
    status: statut, état; priority: priorité; due: échéance, date d'échéance, date limite;
    scheduled: planifié, prévu le, date planifiée; start: début, date de début;
    completed: terminé le, date d'achèvement; created: créé, créé le, date de création; area: domaine;
    projects: projet, projets; contexts: contexte, contextes; tags: étiquettes;
    blockedBy: bloqué par, dépend de; recurrence: récurrence, répétition;
    timeEstimate: durée, estimation; title: titre; type: type`,
  es: `
    status: estado; priority: prioridad; due: vencimiento, vence, fecha límite, fecha de vencimiento;
    scheduled: programado, fecha programada; start: inicio, fecha de inicio;
    completed: completado el, fecha de finalización; created: creado, fecha de creación; area: área;
    projects: proyecto, proyectos; contexts: contexto, contextos; tags: etiquetas;
    blockedBy: bloqueado por, depende de; recurrence: recurrencia, repetición;
    timeEstimate: duración, tiempo estimado; title: título; type: tipo`,
  pt: `
    status: estado, situação; priority: prioridade;
    due: vencimento, prazo, data de vencimento, data limite; scheduled: agendado, data agendada;
    start: início, data de início; completed: concluído em, data de conclusão;
    created: criado, criado em, data de criação; area: área; projects: projeto, projetos, projecto;
    contexts: contexto, contextos; tags: etiquetas; blockedBy: bloqueado por, bloqueada por, depende de;
    recurrence: recorrência, repetição; timeEstimate: duração, tempo estimado; title: título; type: tipo`,
  it: `
    status: stato; priority: priorità; due: scadenza, data di scadenza, entro;
    scheduled: pianificato, programmato, data pianificata; start: inizio, data di inizio;
    completed: completato il, data di completamento; created: creato, creato il, data di creazione;
    area: ambito; projects: progetto, progetti; contexts: contesto, contesti; tags: etichette;
    blockedBy: bloccato da, dipende da; recurrence: ricorrenza, ripetizione;
    timeEstimate: durata, tempo stimato; title: titolo; type: tipo`,
  nl: `
    status: status; priority: prioriteit; due: vervaldatum, uiterste datum, vervalt;
    scheduled: ingepland, geplande datum; start: startdatum, begin, begindatum;
    completed: voltooid op, afgerond op; created: aangemaakt, aangemaakt op; area: gebied, domein;
    projects: project, projecten; contexts: context, contexten; tags: labels;
    blockedBy: geblokkeerd door, hangt af van; recurrence: herhaling, herhalen;
    timeEstimate: duur, tijdsinschatting; title: titel; type: soort`,
  pl: `
    status: status, stan; priority: priorytet; due: termin wykonania, data wykonania, ostateczny termin;
    scheduled: zaplanowano, zaplanowane na; start: data rozpoczęcia, początek;
    completed: ukończono, data ukończenia; created: utworzono, data utworzenia; area: obszar;
    projects: projekt, projekty; contexts: kontekst, konteksty; tags: tagi, etykiety;
    blockedBy: zablokowane przez, zależy od; recurrence: powtarzanie, cykliczność;
    timeEstimate: czas trwania, szacowany czas; title: tytuł; type: typ, rodzaj`,
  ru: `
    status: статус, состояние; priority: приоритет; due: срок, срок выполнения, дедлайн, крайний срок;
    scheduled: запланировано на, дата выполнения; start: начало, дата начала;
    completed: дата завершения, завершено; created: создано, дата создания; area: область, сфера;
    projects: проект, проекты; contexts: контекст, контексты; tags: теги, метки;
    blockedBy: зависит от, заблокировано; recurrence: повторение, повтор;
    timeEstimate: длительность, оценка времени; title: название, заголовок; type: тип`,
  ja: `
    status: ステータス, 状態; priority: 優先度, 優先順位; due: 期限, 期限日, 締切, 締め切り, 〆切; scheduled: 予定日, 実施日;
    start: 開始日, 開始; completed: 完了日; created: 作成日; area: 領域, 分野, エリア; projects: プロジェクト;
    contexts: コンテキスト, 状況; tags: タグ; blockedBy: ブロック元, 依存先; recurrence: 繰り返し;
    timeEstimate: 見積もり, 見積時間, 所要時間; title: タイトル; type: タイプ, 種類, 種別`,
  zh: `
    status: 状态, 狀態; priority: 优先级, 優先級, 优先度; due: 截止日期, 到期日期, 截止, 到期, 到期日, 期限, 截止日;
    scheduled: 计划日期, 安排日期, 計劃日期; start: 开始日期, 開始日期, 开始; completed: 完成日期, 完成时间; created: 创建日期, 建立日期, 创建时间;
    area: 领域, 領域; projects: 项目, 專案, 項目; contexts: 上下文, 情境; tags: 标签, 標籤; blockedBy: 依赖, 依賴, 被阻塞;
    recurrence: 重复, 重複; timeEstimate: 预计时间, 预估时间, 时长; title: 标题, 標題; type: 类型, 類型`,
  ko: `
    status: 상태; priority: 우선순위; due: 마감일, 마감, 기한, 마감 날짜; scheduled: 예정일; start: 시작일, 시작; completed: 완료일;
    created: 생성일; area: 영역, 분야; projects: 프로젝트; contexts: 컨텍스트, 맥락; tags: 태그; blockedBy: 차단 원인, 선행 작업;
    recurrence: 반복; timeEstimate: 예상 시간, 소요 시간; title: 제목; type: 유형`,
};

export const TASK_TYPES =
  "Aufgabe, tâche, tarea, tarefa, compito, attività, taak, zadanie, задача, タスク, 任务, 任務, 작업";
