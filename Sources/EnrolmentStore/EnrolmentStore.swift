// EnrolmentStore
