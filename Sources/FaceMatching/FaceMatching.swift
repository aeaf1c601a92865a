// FaceMatching
