import Biometrics

extension Tables {
  func isErased(_ subject: Erasure.Subject, of organisation: OrganisationID) -> Bool {
    erased[ErasureTarget(organisation: organisation, subject: subject)] ?? false
  }

  /// Throws `erased` if the subject was.
  func refuseErased(_ subject: Erasure.Subject, of organisation: OrganisationID) throws(StoreError) {
    let target = ErasureTarget(organisation: organisation, subject: subject)
    if isErased(subject, of: organisation) { throw StoreError(.erased, target.description) }
  }

  mutating func erase(_ erasure: Erasure, _ undo: inout [Undo]) throws(StoreError) {
    let organisation = erasure.organisation
    if isErased(.organisation, of: organisation) || isErased(erasure.subject, of: organisation) { return }
    switch erasure.subject {
    case .organisation:
      guard organisations[organisation] != nil else { throw missing(erasure) }
      eraseOrganisation(organisation, &undo)
    case .user(let id):
      guard users[Owned(id, by: organisation)] != nil else { throw missing(erasure) }
      eraseUser(id, of: organisation, &undo)
    case .session(let id):
      guard sessions[Owned(id, by: organisation)] != nil else { throw missing(erasure) }
      eraseSession(id, of: organisation, &undo)
    case .evidence(let id):
      guard reVerifications[id]?.organisation == organisation else { throw missing(erasure) }
      set(\.evidence, id, nil, &undo)
    }
    set(\.erased, erasure.target, true, &undo)
    replace(\.galleryVersion, galleryVersion.erasing(erasure.target), &undo)
    let sequence = Int64(erasures.count + 1)
    erasures.append(NumberedErasure(sequence: sequence, erasure))
    undo.append { $0.erasures.removeLast() }
  }

  private func missing(_ erasure: Erasure) -> StoreError {
    StoreError(.missing, erasure.target.description)
  }

  private mutating func eraseOrganisation(_ organisation: OrganisationID, _ undo: inout [Undo]) {
    for key in users.keys where key.organisation == organisation {
      eraseUser(key.key, of: organisation, &undo)
    }
    for key in workflows.keys where key.organisation == organisation { set(\.workflows, key, nil, &undo) }
    for key in keys.values where key.organisation == organisation {
      set(\.keysByDigest, key.digest, nil, &undo)
      set(\.keys, key.id, nil, &undo)
    }
    set(\.balances, organisation, nil, &undo)
    set(\.organisations, organisation, nil, &undo)
  }

  private mutating func eraseUser(
    _ user: UserID, of organisation: OrganisationID, _ undo: inout [Undo]
  ) {
    let key = Owned(user, by: organisation)
    for session in sessionsOfUser[key] ?? [] { eraseSession(session, of: organisation, &undo) }
    for (id, stored) in reVerifications where stored.user == user && stored.organisation == organisation {
      set(\.evidence, id, nil, &undo)
    }
    if let email = users[key]?.email { set(\.usersByEmail, Owned(email, by: organisation), nil, &undo) }
    set(\.failures, key, nil, &undo)
    set(\.users, key, nil, &undo)
  }

  private mutating func eraseSession(
    _ id: SessionID, of organisation: OrganisationID, _ undo: inout [Undo]
  ) {
    let key = Owned(id, by: organisation)
    guard let numbered = sessions[key] else { return }
    let user = Owned(numbered.enrolled.session.user, by: organisation)
    var order = sessionOrder[organisation] ?? []
    order[Int(numbered.sequence) - 1] = nil
    set(\.sessionOrder, organisation, order, &undo)
    set(\.sessionsOfUser, user, (sessionsOfUser[user] ?? []).filter { $0 != id }, &undo)
    set(\.sessions, key, nil, &undo)
  }

  /// Sessions in the order of enrolment, then evidence by re-verification, whose time is over.
  func pastRetention(in organisation: OrganisationID, at now: Instant) -> [Erasure.Subject] {
    let isOver = { (workflow: WorkflowID, start: Instant) in
      workflows[Owned(workflow, by: organisation)]?.retention?.isOver(at: now, since: start) ?? false
    }
    let old = sessions(in: organisation, after: 0).map(\.enrolled.session)
      .filter { isOver($0.workflow, $0.approvedAt) }
    let oldEvidence = evidence.filter { _, attempts in
      attempts.values.contains {
        $0.organisation == organisation && isOver($0.workflow, $0.judgedAt)
      }
    }
    return old.map { .session($0.id) } + oldEvidence.keys.sorted().map { .evidence($0) }
  }
}
