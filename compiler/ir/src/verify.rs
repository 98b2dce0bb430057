impl crate::Module {
    /// Stub for now
    pub fn verify(&self) -> Result<(), Vec<warpsmith_base::Diagnostic>> {
        Ok(())
    }
}
