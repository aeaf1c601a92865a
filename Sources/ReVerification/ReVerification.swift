// ReVerification
